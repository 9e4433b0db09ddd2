// A migrated feed database of its own for each test, on the test binary's one PostgreSQL.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "feed/migrations.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "support/postgres_server.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::feed::testing {

class FeedDatabase {
 public:
  FeedDatabase() : database(migrated()) {}

  // Anyone who has registered, with the names that his profile gives him.
  void enter_person(const core::AccountId& account, const std::string& user_id,
                    const std::string& real_name, bool closed = false) {
    const auto entered = database.transact([&](sql::Transaction& transaction) {
      transaction.execute("INSERT INTO person (account_id, closed) VALUES ($1::uuid, $2::boolean)",
                          {account, closed});
      transaction.execute(
          "INSERT INTO person_profile (account_id, version, user_id, real_name, department, closed)"
          " VALUES ($1::uuid, 1, $2, $3, '', $4::boolean)",
          {account, user_id, real_name, closed});
    });
    EXPECT_TRUE(entered.ok()) << (entered.ok() ? "" : entered.error().message);
  }

  // Of few rows: TRUNCATE would make new files for every partition and its indexes.
  void empty(const std::vector<std::string>& names) {
    const auto emptied = database.transact([&](sql::Transaction& transaction) {
      for (const std::string& name : names) transaction.execute("DELETE FROM " + name);
    });
    EXPECT_TRUE(emptied.ok()) << (emptied.ok() ? "" : emptied.error().message);
  }

  // What PostgreSQL says about how it runs a statement.
  std::string explain(const std::string& sql, const sql::Params& params) {
    auto plan = database.read([&](sql::Transaction& transaction) {
      std::string text;
      for (const auto& row : transaction.execute("EXPLAIN (COSTS OFF) " + sql, params)) {
        text += row.text(0) + "\n";
      }
      return text;
    });
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
    return plan.ok() ? *plan : "";
  }

  postgres::PooledDatabase database;

 private:
  static postgres::DatabaseOptions migrated() {
    postgres::DatabaseOptions options;
    options.conninfo = test_support::PostgresServer::shared().create_database();
    options.connections_max = 4;
    const std::array<postgres::MigrationSet, 4> sets{
        postgres::base_migrations(4),
        postgres::MigrationSet{"people",
                               {{1, "person", people::kPersonTableSql},
                                {2, "person_profile", people::kPersonProfileTableSql},
                                {3, "person_avatar", people::kPersonAvatarSql}}},
        postgres::MigrationSet{"uploads",
                               {{1, "upload", uploads::kUploadTableSql},
                                {2, "upload_image", uploads::kUploadImageSql},
                                {3, "large_upload", uploads::kLargeUploadTableSql}}},
        postgres::MigrationSet{"feed", migrations()}};
    const auto status = postgres::migrate(options, sets);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    return options;
  }
};

// How many partitions of a table a plan scans.
inline std::size_t scans_of(const std::string& plan, const std::string& table) {
  const std::regex scan(" on " + table + "_[0-9]+ ");
  const auto scans = static_cast<std::size_t>(
      std::distance(std::sregex_iterator(plan.begin(), plan.end(), scan), std::sregex_iterator()));
  return scans;
}

}  // namespace tideline::feed::testing
