// Databases of the feed's benchmarks: as the service has it, and an empty one.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/feed_options.hpp"
#include "feed/migrations.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::bench {

inline constexpr std::uint32_t kFeedLogs = 16;

inline postgres::DatabaseOptions plain_database(const std::string& conninfo) {
  postgres::DatabaseOptions options;
  options.conninfo = conninfo;
  options.connections_max = 12;  // as the services have by default
  // Indexes of large tables.
  options.statement_timeout = std::chrono::milliseconds(0);
  return options;
}

inline postgres::DatabaseOptions feed_database(const std::string& conninfo) {
  const auto options = plain_database(conninfo);
  const std::vector<postgres::MigrationSet> sets{
      postgres::base_migrations(kFeedLogs),
      {"people",
       {{1, "person", people::kPersonTableSql},
        {2, "person_profile", people::kPersonProfileTableSql},
        {3, "person_avatar", people::kPersonAvatarSql}}},
      {"uploads",
       {{1, "upload", uploads::kUploadTableSql},
        {2, "upload_image", uploads::kUploadImageSql},
        {3, "large_upload", uploads::kLargeUploadTableSql}}},
      {"feed", feed::migrations()}};
  must(postgres::migrate(options, sets));
  return options;
}

}  // namespace tideline::bench
