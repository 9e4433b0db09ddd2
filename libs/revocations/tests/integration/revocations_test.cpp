// Revocations on a real PostgreSQL: from events into the table and the memory of every process.

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "core/clock.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "revocations/revocation_projection.hpp"
#include "revocations/revoked_tokens.hpp"
#include "support/contract.hpp"
#include "support/postgres_server.hpp"

namespace tideline::revocations {
namespace {

constexpr auto kDeadline = std::chrono::seconds(20);

const core::AccountId kAda = *core::AccountId::parse("aaaaaaaaaaaaaaaaaaaaaaaaae");
const core::AccountId kBob(core::AccountId::Bytes{2});

constexpr const char* kFirst = "06a0q3kgeg0kvrg4u7m5h2b3c8";
constexpr const char* kSecond = "06a0q3kgeg0kvrg4u7m5h2b3d0";

class RevocationsTest : public ::testing::Test {
 protected:
  static postgres::DatabaseOptions fresh_database() {
    postgres::DatabaseOptions options;
    options.conninfo = test_support::PostgresServer::shared().create_database();
    const std::array<postgres::MigrationSet, 2> sets{
        postgres::base_migrations(1),
        postgres::MigrationSet{"revocations", {{1, "revocation", kRevocationTableSql}}}};
    CHECK(postgres::migrate(options, sets).ok(), "the migrations run on an empty database");
    return options;
  }

  void apply(const std::string& type, nlohmann::json data, std::chrono::hours ago = {}) {
    eventsourcing::RecordedEvent event;
    event.source = "accounts";
    event.type = type;
    data["account_id"] = kAda.to_string();
    event.data = data.dump();
    event.time = clock.now() - ago;
    projection.apply(event);
  }
  void flush() {
    const auto done =
        database.transact([&](sql::Transaction& transaction) { projection.flush(transaction); });
    ASSERT_TRUE(done.ok()) << done.error().message;
    projection.flushed();
  }
  std::int64_t rows() {
    std::int64_t count = 0;
    const auto done = database.snapshot([&](sql::Transaction& transaction) {
      count = transaction.execute("SELECT count(*) FROM revocation").front().integer(0);
    });
    EXPECT_TRUE(done.ok());
    return count;
  }

  postgres::PooledDatabase database{fresh_database()};
  core::ManualClock clock{core::SystemClock().now()};
  RevokedTokens tokens{database, clock};
  RevocationProjection projection{tokens};
};

TEST_F(RevocationsTest, TokensOfAnEndedSessionAreRevokedAndNoOthers) {
  apply("SessionEnded", {{"session_id", kFirst}});
  EXPECT_FALSE(tokens.contains(kAda, kFirst, 1));  // nothing is flushed
  flush();
  EXPECT_TRUE(tokens.contains(kAda, kFirst, 1));
  EXPECT_FALSE(tokens.contains(kAda, kSecond, 1));
  EXPECT_FALSE(tokens.contains(kAda, "", 1));
  EXPECT_FALSE(tokens.contains(kBob, kFirst, 1));
}

TEST_F(RevocationsTest, APasswordRevokesTokensUnderEarlierOnesInWhateverOrder) {
  apply("PasswordChanged", {{"number", 3}});
  apply("PasswordChanged", {{"number", 2}});
  flush();
  apply("PasswordChanged", {{"number", 2}});
  flush();
  EXPECT_TRUE(tokens.contains(kAda, kFirst, 2));
  EXPECT_TRUE(tokens.contains(kAda, "", 0));  // a token of before it said so
  EXPECT_FALSE(tokens.contains(kAda, kFirst, 3));
  EXPECT_EQ(rows(), 1);
}

TEST_F(RevocationsTest, AClosedAccountHasNoTokens) {
  apply("AccountClosed", {});
  apply("PasswordChanged", {{"number", 2}});
  flush();
  EXPECT_TRUE(tokens.contains(kAda, kFirst, 4'000'000'000));
  EXPECT_FALSE(tokens.contains(kBob, kFirst, 1));
}

TEST_F(RevocationsTest, OtherProcessesLearnOfThemAndSoDoesTheNextStart) {
  RevokedTokens other(database, clock);
  ASSERT_TRUE(other.load().ok());
  std::jthread reader([&](std::stop_token stop) { other.run(std::move(stop)); });
  apply("SessionEnded", {{"session_id", kFirst}});
  flush();
  const auto give_up = std::chrono::steady_clock::now() + kDeadline;
  while (!other.contains(kAda, kFirst, 1) && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(other.contains(kAda, kFirst, 1));
  RevokedTokens next(database, clock);
  ASSERT_TRUE(next.load().ok());
  EXPECT_TRUE(next.contains(kAda, kFirst, 1));
}

TEST_F(RevocationsTest, WhatNoTokenCanOutliveIsForgottenAndAReplayDoesNotBringItBack) {
  apply("SessionEnded", {{"session_id", kFirst}}, RevokedTokens::kKept + std::chrono::hours(1));
  apply("SessionEnded", {{"session_id", kSecond}}, RevokedTokens::kKept - std::chrono::hours(1));
  flush();
  EXPECT_FALSE(tokens.contains(kAda, kFirst, 1));
  EXPECT_TRUE(tokens.contains(kAda, kSecond, 1));
  EXPECT_EQ(rows(), 1);
  clock.advance(std::chrono::hours(2));
  ASSERT_TRUE(tokens.load().ok());
  EXPECT_EQ(tokens.size(), 0U);
}

TEST_F(RevocationsTest, ReadsWhatAccountsPromises) {
  const auto contract = test_support::read_contract(TIDELINE_SOURCE_DIR, "revocations", "accounts");
  EXPECT_TRUE(test_support::broken_examples(contract).empty());
  for (const auto& promised : contract.events) {
    RevokedTokens own(database, clock);
    RevocationProjection reader(own);
    auto event = promised.recorded("accounts");
    event.time = clock.now();
    reader.apply(event);
    const auto done =
        database.transact([&](sql::Transaction& transaction) { reader.flush(transaction); });
    ASSERT_TRUE(done.ok()) << done.error().message;
    reader.flushed();
    EXPECT_EQ(own.size(), 1U) << promised.type;
  }
}

}  // namespace
}  // namespace tideline::revocations
