// A database of its own with the tables of uploads and of people.
#pragma once

#include <array>

#include "core/check.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "support/postgres_server.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::uploads::testing {

inline postgres::DatabaseOptions upload_database() {
  postgres::DatabaseOptions options;
  options.conninfo = test_support::PostgresServer::shared().create_database();
  const std::array<postgres::MigrationSet, 3> sets{
      postgres::base_migrations(1),
      postgres::MigrationSet{"people",
                             {{1, "person", people::kPersonTableSql},
                              {2, "person_profile", people::kPersonProfileTableSql},
                              {3, "person_avatar", people::kPersonAvatarSql}}},
      postgres::MigrationSet{"uploads",
                             {{1, "upload", kUploadTableSql},
                              {2, "upload_image", kUploadImageSql},
                              {3, "large_upload", kLargeUploadTableSql}}}};
  CHECK(postgres::migrate(options, sets).ok(), "the migrations run on an empty database");
  return options;
}

}  // namespace tideline::uploads::testing
