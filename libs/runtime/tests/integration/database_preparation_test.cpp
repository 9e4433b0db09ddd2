// A service's databases before its start: reached, migrated, or waited for.
#include "runtime/database_preparation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>

#include "postgres/tests/integration/fresh_database.hpp"

namespace tideline::runtime {
namespace {

class DatabasePreparation : public ::testing::Test {
 protected:
  core::Status prepare(const std::vector<postgres::Migration>& steps, Migrations migrations) {
    return prepare_databases({{&database_, {{"feed", steps}}}}, migrations,
                             [this](std::string_view, const std::string& line) {
                               const std::lock_guard lock(mutex_);
                               lines_.push_back(line);
                             });
  }
  bool was_told(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return std::any_of(lines_.begin(), lines_.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  }

  postgres::PooledDatabase database_{postgres::testing::empty_database()};
  const postgres::Migration first_{1, "moment", "CREATE TABLE moment (id bigint)"};
  const postgres::Migration second_{2, "author", "ALTER TABLE moment ADD author uuid"};
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST_F(DatabasePreparation, WhoMigratesGoesOnWithEveryStepRun) {
  ASSERT_TRUE(prepare({first_, second_}, Migrations::Run).ok());
  EXPECT_TRUE(database_.query("SELECT author FROM moment", {}).ok());
}

TEST_F(DatabasePreparation, WhoAwaitsGoesOnWhenAnotherHasRunThem) {
  ASSERT_TRUE(prepare({first_}, Migrations::Run).ok());
  auto awaiting = std::async(std::launch::async, [&] {
    return prepare({first_, second_}, Migrations::Await);
  });
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!was_told("waiting for this version's migrations")) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    std::this_thread::yield();
  }
  EXPECT_EQ(awaiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  ASSERT_TRUE(prepare({first_, second_}, Migrations::Run).ok());
  EXPECT_TRUE(awaiting.get().ok());
  EXPECT_TRUE(prepare({first_}, Migrations::Await).ok()) << "an older program goes on, too";
}

TEST_F(DatabasePreparation, WhoAwaitsIsToldOfStepsThatItCannotGoOnOver) {
  ASSERT_TRUE(
      prepare({first_, {2, "no_moment", "-- contracts: 2\nDROP TABLE moment"}}, Migrations::Run)
          .ok());
  const auto status = prepare({first_}, Migrations::Await);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, core::ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace tideline::runtime
