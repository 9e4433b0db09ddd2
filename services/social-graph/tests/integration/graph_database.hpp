// social-graph over a real PostgreSQL: its routes, its tables, and the projection in between, moved
// by hand. One database for each test.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "blocks/blocks.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "social-graph/migrations.hpp"
#include "social-graph/projections/graph_projection.hpp"
#include "social-graph/tests/graph_service.hpp"
#include "support/postgres_server.hpp"

namespace tideline::social_graph {

inline postgres::DatabaseOptions migrated_database() {
  postgres::DatabaseOptions options;
  options.conninfo = test_support::PostgresServer::shared().create_database();
  options.connections_max = 4;
  const std::array<postgres::MigrationSet, 4> sets{
      postgres::base_migrations(4),
      {"people",
       {{1, "person", people::kPersonTableSql},
        {2, "person_profile", people::kPersonProfileTableSql},
        {3, "person_avatar", people::kPersonAvatarSql}}},
      {"blocks", {{1, "person_block", blocks::kBlockTableSql}}},
      {"social-graph", migrations()}};
  const auto status = postgres::migrate(options, sets);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return options;
}

class GraphDatabase : public ::testing::Test {
 protected:
  GraphDatabase() {
    service.graph_applied.reset({"social-graph"}, {});
    service.people_applied.reset({"accounts"}, {});
  }

  template <class Work>
  auto read(const Work& work) {
    auto found = database.read(work);
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
    return std::move(*found);
  }

  void know(const std::string& user_id) {
    know_without_profile(user_id);
    write(
        "INSERT INTO person_profile (account_id, version, user_id, real_name, closed)"
        " VALUES ($1::uuid, 1, $2, $3, false)",
        {service.account(user_id), user_id, "Name of " + user_id});
  }
  // Registered, but the profile has not arrived yet.
  void know_without_profile(const std::string& user_id) {
    write("INSERT INTO person (account_id, closed) VALUES ($1::uuid, false)",
          {service.account(user_id)});
  }

  // As the runner does: everything new into the tables, and the positions after it.
  void project() {
    eventsourcing::PositionVector positions;
    for (std::uint32_t log = 0; log < service.store.logs(); ++log) {
      const core::LogIndex index(log);
      const auto events = service.store.read_log(index, projected_[index], 100'000);
      for (const auto& event : *events) {
        projection.apply(event);
        projected_[index] = event.position;
      }
      positions.raise("social-graph", index, projected_[index]);
    }
    flush(projection);
    service.graph_applied.advance(positions);
  }

  void flush(GraphProjection& model) {
    const auto status =
        database.transact([&](sql::Transaction& transaction) { model.flush(transaction); });
    ASSERT_TRUE(status.ok()) << status.error().message;
    model.flushed();
  }

  void write(std::string_view sql, const sql::Params& params = {}) {
    const auto status =
        database.transact([&](sql::Transaction& transaction) { transaction.execute(sql, params); });
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  static std::vector<std::string> users_of(const Reply& page) {
    std::vector<std::string> users;
    for (const auto& item : page.body.at("items")) users.push_back(item.at("user_id"));
    return users;
  }

  postgres::PooledDatabase database{migrated_database()};
  GraphService service{database, 100, 100, 100};
  GraphProjection projection;

 private:
  std::map<core::LogIndex, core::LogPosition> projected_;
};

}  // namespace tideline::social_graph
