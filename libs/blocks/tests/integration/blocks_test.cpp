// Blocks on a real PostgreSQL: from events into the table, and what it answers.

#include <gtest/gtest.h>

#include <array>

#include "blocks/block_model.hpp"
#include "blocks/blocks.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "support/contract.hpp"
#include "support/postgres_server.hpp"

namespace tideline::blocks {
namespace {

class BlocksTest : public ::testing::Test {
 protected:
  static postgres::DatabaseOptions fresh_database() {
    postgres::DatabaseOptions options;
    options.conninfo = test_support::PostgresServer::shared().create_database();
    const std::array<postgres::MigrationSet, 2> sets{
        postgres::base_migrations(1),
        postgres::MigrationSet{"blocks", {{1, "person_block", kBlockTableSql}}}};
    CHECK(postgres::migrate(options, sets).ok(), "the migrations run on an empty database");
    return options;
  }

  // The example of the contract, as the n-th event of its stream.
  void apply(const std::string& type, std::uint64_t version) {
    for (const auto& promised : contract.events) {
      if (promised.type != type) continue;
      auto event = promised.recorded("social-graph");
      event.version = core::StreamVersion(version);
      projection.apply(event);
      by = *core::AccountId::parse(promised.example.at("by").get<std::string>());
      other = *core::AccountId::parse(promised.example.at("other").get<std::string>());
    }
  }
  void flush() {
    const auto done =
        database.transact([&](sql::Transaction& transaction) { projection.flush(transaction); });
    ASSERT_TRUE(done.ok()) << done.error().message;
    projection.flushed();
  }
  template <class Ask>
  auto ask(const Ask& question) {
    auto answer = database.read(question);
    CHECK(answer.ok(), "the query runs");
    return *answer;
  }
  bool blocks(const core::AccountId& one, const core::AccountId& two) {
    return ask([&](sql::Transaction& transaction) { return has_blocked(transaction, one, two); });
  }
  bool apart(const core::AccountId& one, const core::AccountId& two) {
    return ask([&](sql::Transaction& transaction) { return are_apart(transaction, one, two); });
  }

  const test_support::Contract contract =
      test_support::read_contract(TIDELINE_SOURCE_DIR, "blocks", "social-graph");
  postgres::PooledDatabase database{fresh_database()};
  BlockProjection projection;
  core::AccountId by, other;
};

TEST_F(BlocksTest, ABlockIsOneWayAndKeepsBothApart) {
  apply("PersonBlocked", 1);
  flush();
  EXPECT_TRUE(blocks(by, other));
  EXPECT_FALSE(blocks(other, by));
  EXPECT_TRUE(apart(by, other));
  EXPECT_TRUE(apart(other, by));
  EXPECT_FALSE(apart(by, core::AccountId({9})));
  const auto left = ask([&](sql::Transaction& transaction) {
    return transaction.execute("SELECT $1::uuid WHERE NOT " + are_apart_sql("$1::uuid", "$2::uuid"),
                               {other, by});
  });
  EXPECT_TRUE(left.empty());
}

TEST_F(BlocksTest, TheLatestEventCountsWheneverItComes) {
  apply("PersonBlocked", 1);
  apply("PersonUnblocked", 2);
  flush();
  EXPECT_FALSE(apart(by, other));
  apply("PersonBlocked", 1);
  flush();
  EXPECT_FALSE(apart(by, other)) << "an older one, once more";
  apply("PersonBlocked", 3);
  flush();
  EXPECT_TRUE(apart(by, other));
}

}  // namespace
}  // namespace tideline::blocks
