// The table of uploads on a real PostgreSQL: what is kept for whom, and what a sweep takes.

#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "core/random.hpp"
#include "postgres/connections/database.hpp"
#include "uploads/sweeper.hpp"
#include "uploads/tests/integration/upload_database.hpp"

namespace tideline::uploads {
namespace {

using sql::Transaction;

const core::AccountId kAda({1});
const core::AccountId kBob({2});
constexpr const char* kNothing = "SELECT NULL::uuid, NULL::text WHERE false";

class ContentStoreTest : public ::testing::Test {
 protected:
  ContentStoreTest() : database(uploads::testing::upload_database()) {}

  void execute(const std::string& sql, const sql::Params& params = {}) {
    const auto done =
        database.transact([&](Transaction& transaction) { transaction.execute(sql, params); });
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  std::string put(const core::AccountId& owner, const std::string& bytes) {
    const auto stored = store.put(owner, {"image/png", bytes});
    EXPECT_TRUE(stored.ok() && *stored) << bytes.size();
    return hash_of(bytes);
  }
  bool has(const core::AccountId& owner, const std::string& hash) {
    const auto found = store.find(owner, hash);
    EXPECT_TRUE(found.ok());
    return found.ok() && found->has_value();
  }
  // As if everything had been uploaded so long ago.
  void age(const std::string& interval) {
    execute("UPDATE upload SET held_at = held_at - '" + interval + "'::interval");
  }
  std::int64_t swept(const char* references) {
    const auto gone = sweep(database, {"names", references});
    EXPECT_TRUE(gone.ok()) << (gone.ok() ? "" : gone.error().message);
    return gone.ok() ? *gone : -1;
  }

  postgres::PooledDatabase database;
  TableContentStore store{database, 1'000'000};
};

TEST_F(ContentStoreTest, BytesComeBackAsTheyWereAndOnce) {
  std::string bytes;
  for (int i = 0; i < 70'000; ++i) bytes.push_back(static_cast<char>(i * 31));
  const std::string hash = put(kAda, bytes);
  EXPECT_EQ(put(kAda, bytes), hash) << "a second time is the same upload";
  const auto found = store.find(kAda, hash);
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_EQ((*found)->media_type, "image/png");
  EXPECT_EQ((*found)->bytes, bytes);
}

TEST_F(ContentStoreTest, AHashIsNoRightToAnothersUpload) {
  const std::string hash = put(kAda, "ada's");
  EXPECT_FALSE(has(kBob, hash));
  EXPECT_EQ(*store.hold(kBob, std::array{hash}), false);
  EXPECT_EQ(*store.hold(kAda, std::array{hash}), true);
  EXPECT_EQ(*store.hold(kAda, (std::array{hash, hash_of("not there")})), false);
}

TEST_F(ContentStoreTest, AnOwnersSpaceIsBounded) {
  put(kAda, std::string(600'000, 'a'));
  const auto refused = store.put(kAda, {"image/png", std::string(600'000, 'b')});
  ASSERT_TRUE(refused.ok());
  EXPECT_FALSE(*refused);
  EXPECT_FALSE(has(kAda, hash_of(std::string(600'000, 'b'))));
  put(kAda, std::string(600'000, 'a'));  // what is there takes no more
  put(kBob, std::string(600'000, 'b'));
}

TEST_F(ContentStoreTest, ASweepTakesWhatNothingNamesAfterADay) {
  const std::string named = put(kAda, "named");
  const std::string unnamed = put(kAda, "unnamed");
  const std::string held = put(kAda, "held");
  const std::string anothers = put(kBob, "named");
  execute("CREATE TABLE reference (owner uuid, hash text)");
  execute("INSERT INTO reference VALUES ($1::uuid, $2)", {kAda, named});
  const char* references = "SELECT owner, hash FROM reference";
  age("23 hours");
  EXPECT_EQ(swept(references), 0) << "the command that names it may be on its way";
  age("2 hours");
  EXPECT_TRUE(*store.hold(kAda, std::array{held}));
  EXPECT_EQ(swept(references), 2);
  EXPECT_TRUE(has(kAda, named));
  EXPECT_TRUE(has(kAda, held));
  EXPECT_FALSE(has(kAda, unnamed));
  EXPECT_FALSE(has(kBob, anothers)) << "the same bytes, but nothing names them as his";
}

TEST_F(ContentStoreTest, NothingUnnamedIsSweptWhileAnEventIsParked) {
  put(kAda, "named by the parked event");
  put(kBob, "of a closed account");
  age("2 days");
  execute("INSERT INTO person (account_id, closed) VALUES ($1::uuid, true)", {kBob});
  const auto park = [&](const std::string& projection) {
    execute(
        "INSERT INTO dead_letter (projection, service, log, position, stream, stream_version,"
        " event_id, type, schema_version, event_time, data, reason)"
        " VALUES ($1, 's', 0, 1, 'a', 1, 'i', 't', 1, now(), '{}', 'r')",
        {projection});
  };
  park("names");
  park("others");
  EXPECT_EQ(swept(kNothing), 1) << "the closed account's goes whatever names it";
  EXPECT_TRUE(has(kAda, hash_of("named by the parked event")));
  execute("DELETE FROM dead_letter WHERE projection = 'names'");
  EXPECT_EQ(swept(kNothing), 1);
}

TEST_F(ContentStoreTest, AClosedAccountsUploadsAreGoneAtOnceAndSweptWhateverNamesThem) {
  const std::string hash = put(kAda, "image");
  const std::string other = put(kBob, "image");
  execute("INSERT INTO person (account_id, closed) VALUES ($1::uuid, true), ($2::uuid, false)",
          {kAda, kBob});
  EXPECT_FALSE(has(kAda, hash));
  EXPECT_EQ(swept("SELECT owner, hash FROM upload"), 1);
  EXPECT_TRUE(has(kBob, other));
}

TEST_F(ContentStoreTest, WhatAPersonHasLiesInOnePartition) {
  const auto plans = database.read([](Transaction& transaction) {
    std::vector<std::string> texts;
    for (const char* sql :
         {"SELECT media_type, bytes FROM upload WHERE owner = $1::uuid AND hash = 'a' AND NOT"
          " EXISTS (SELECT FROM person WHERE account_id = $1::uuid AND closed)",
          "SELECT sum(size) FROM upload WHERE owner = $1::uuid AND hash <> 'a'",
          "UPDATE upload SET held_at = now() WHERE owner = $1::uuid AND hash = 'a'"}) {
      std::string plan;
      for (const auto& row : transaction.execute("EXPLAIN " + std::string(sql), {kAda})) {
        plan += row.text(0) + "\n";
      }
      texts.push_back(plan);
    }
    return texts;
  });
  ASSERT_TRUE(plans.ok()) << plans.error().message;
  for (const std::string& plan : *plans) {
    EXPECT_EQ(plan.find("Append"), std::string::npos) << plan;
    EXPECT_NE(plan.find(" on upload_"), std::string::npos) << plan;
  }
}

TEST_F(ContentStoreTest, NothingIsSweptWhileTheReadModelIsBehind) {
  put(kAda, "unnamed");
  age("2 days");
  std::atomic<int> asked{0};
  std::atomic<bool> current{false};
  std::promise<std::int64_t> reported;
  std::atomic<int> reports{0};
  const SweeperPorts ports{database,
                           [&] {
                             ++asked;
                             eventsourcing::RunnerStatus status;
                             status.caught_up_once = true;
                             status.behind =
                                 current ? std::chrono::minutes(1) : std::chrono::hours(1);
                             return status;
                           },
                           {"names", kNothing},
                           [&](const core::Result<std::int64_t>& gone) {
                             if (++reports == 1) reported.set_value(gone.ok() ? *gone : -1);
                           }};
  std::jthread sweeping([&](std::stop_token stop) {
    keep_swept(ports, std::chrono::milliseconds(1), std::move(stop));
  });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (asked < 5) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
  EXPECT_EQ(reports, 0);
  EXPECT_TRUE(has(kAda, hash_of("unnamed")));
  current = true;
  auto result = reported.get_future();
  ASSERT_EQ(result.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(result.get(), 1);
}

}  // namespace
}  // namespace tideline::uploads
