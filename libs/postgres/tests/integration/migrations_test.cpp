#include "postgres/migrations/migrations.hpp"

#include <gtest/gtest.h>

#include <future>

#include "fresh_database.hpp"

namespace tideline::postgres::testing {
namespace {

using core::ErrorCode;

class MigrationsTest : public ::testing::Test {
 protected:
  core::Status run(std::vector<Migration> steps) {
    const MigrationSet set{"feed", std::move(steps)};
    return migrate(options_, {&set, 1});
  }
  std::string one(const std::string& sql) {
    return PooledDatabase(options_).query(sql, {}).value().front().text(0);
  }

  DatabaseOptions options_ = empty_database();
  const Migration first_{1, "moment", "CREATE TABLE moment (id bigint); SELECT 1"};
  const Migration second_{2, "author", "ALTER TABLE moment ADD author uuid"};
};

TEST_F(MigrationsTest, EachStepRunsOnce) {
  ASSERT_TRUE(run({first_}).ok());
  ASSERT_TRUE(run({first_, second_}).ok());
  ASSERT_TRUE(run({first_, second_}).ok());
  EXPECT_EQ(one("SELECT count(*) FROM schema_migration WHERE part = 'feed'"), "2");
  EXPECT_EQ(one("SELECT count(author) FROM moment"), "0");
}

TEST_F(MigrationsTest, SetsCountApart) {
  const std::vector<MigrationSet> sets = {base_migrations(3), {"feed", {first_}}};
  ASSERT_TRUE(migrate(options_, sets).ok());
  ASSERT_TRUE(migrate(options_, sets).ok());
  EXPECT_EQ(one("SELECT count(*) FROM event_log"), "3");
}

TEST_F(MigrationsTest, AnotherNumberOfLogsIsRefused) {
  const MigrationSet three = base_migrations(3);
  const MigrationSet four = base_migrations(4);
  ASSERT_TRUE(migrate(options_, {&three, 1}).ok());
  const auto status = migrate(options_, {&four, 1});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(status.error().message.find("event_log_3"), std::string::npos);
}

TEST_F(MigrationsTest, AStepThatWasChangedOrIsMissingIsRefused) {
  ASSERT_TRUE(run({first_, second_}).ok());
  Migration changed = first_;
  changed.sql += " ";
  EXPECT_EQ(run({changed, second_}).error().code, ErrorCode::InvalidInput);
  Migration renamed = first_;
  renamed.name = "other";
  EXPECT_FALSE(run({renamed, second_}).ok());
  EXPECT_FALSE(run({first_, {3, "gap", "SELECT 1"}}).ok());
}

TEST_F(MigrationsTest, AnOlderProgramGoesOnOverStepsThatOnlyAdd) {
  ASSERT_TRUE(run({first_, second_}).ok());
  EXPECT_TRUE(run({first_}).ok());
  EXPECT_EQ(one("SELECT count(author) FROM moment"), "0") << "and takes nothing back";
}

TEST_F(MigrationsTest, AnOlderProgramIsRefusedOnceAStepTookAwayWhatItUses) {
  const Migration third{3, "no_author", "-- contracts: 2\nALTER TABLE moment DROP author"};
  ASSERT_TRUE(run({first_, second_, third}).ok());
  EXPECT_TRUE(run({first_, second_}).ok()) << "which does not use the column any more";
  const auto status = run({first_});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(status.error().message.find("feed/3 took away"), std::string::npos);
}

TEST_F(MigrationsTest, AStepCannotContractToProgramsThatThereAreNot) {
  for (const char* line :
       {"-- contracts: 0", "-- contracts: 2", "-- contracts: x", "-- contracts: "}) {
    EXPECT_FALSE(run({{1, "moment", std::string(line) + "\nCREATE TABLE moment (id bigint)"}}).ok())
        << line;
  }
  EXPECT_EQ(one("SELECT (to_regclass('moment') IS NULL)::text"), "true");
}

TEST_F(MigrationsTest, WhoDoesNotMigrateSeesWhatIsMissing) {
  const auto is_done = [&](std::vector<Migration> steps) {
    const MigrationSet set{"feed", std::move(steps)};
    return is_migrated(options_, {&set, 1});
  };
  EXPECT_FALSE(is_done({first_}).value()) << "of an empty database";
  ASSERT_TRUE(run({first_}).ok());
  EXPECT_TRUE(is_done({first_}).value());
  EXPECT_FALSE(is_done({first_, second_}).value());
  EXPECT_EQ(one("SELECT count(*) FROM schema_migration"), "1") << "it ran nothing";
  ASSERT_TRUE(run({first_, second_}).ok());
  EXPECT_TRUE(is_done({first_}).value()) << "of an older program";
  Migration changed = first_;
  changed.sql += " ";
  EXPECT_FALSE(is_done({changed}).ok());
}

TEST_F(MigrationsTest, ProgramsOfBeforeGoOnWithTheJournal) {
  ASSERT_TRUE(run({first_}).ok());
  PooledDatabase database(options_);
  ASSERT_TRUE(database.query("ALTER TABLE schema_migration DROP COLUMN programs_from", {}).ok());
  const MigrationSet set{"feed", {first_}};
  EXPECT_FALSE(is_migrated(options_, {&set, 1}).value()) << "the journal itself is behind";
  EXPECT_TRUE(run({first_, second_}).ok());
}

TEST_F(MigrationsTest, AStepThatFailsLeavesNothingAndIsNamed) {
  const auto status = run({first_, {2, "broken", "CREATE TABLE half (id int); SELECT nonsense"}});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("feed/broken"), std::string::npos);
  EXPECT_EQ(one("SELECT (to_regclass('half') IS NULL)::text"), "true");
  EXPECT_TRUE(run({first_, second_}).ok()) << "the step before it is kept";
}

TEST_F(MigrationsTest, ProcessesThatStartTogetherMigrateOnce) {
  const MigrationSet set{"feed", {first_, second_, {3, "slow", "SELECT pg_sleep(0.1)"}}};
  std::vector<std::future<core::Status>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::async(std::launch::async, [&] { return migrate(options_, {&set, 1}); }));
  }
  for (auto& status : all) {
    const auto result = status.get();
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  }
  EXPECT_EQ(one("SELECT count(*) FROM schema_migration"), "3");
}

}  // namespace
}  // namespace tideline::postgres::testing
