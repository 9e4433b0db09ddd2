// What the event store in PostgreSQL does beyond the laws: refused changes, bad data, lost
// connections and commits of unknown outcome.
#include "postgres/store/event_store.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <regex>
#include <thread>
#include <vector>

#include "cutting_proxy.hpp"
#include "eventsourcing/testing/appends.hpp"
#include "fresh_database.hpp"
#include "killed_program.hpp"

namespace tideline::postgres::testing {
namespace {

using core::ErrorCode;
using core::StreamId;
using eventsourcing::Append;
using eventsourcing::Appended;
using eventsourcing::AppendOutcome;
using eventsourcing::IdempotencyKey;
using eventsourcing::testing::Appends;
using eventsourcing::testing::expect_already_done;
using eventsourcing::testing::expect_appended;
using eventsourcing::testing::expect_conflict;
using sql::Transaction;

constexpr std::uint32_t kLogs = 2;

class PostgresEventStoreTest : public ::testing::Test {
 protected:
  PostgresEventStore& start(EventStoreOptions options = {}) {
    options.service = "feed";
    options.logs = kLogs;
    store_ = std::make_unique<PostgresEventStore>(database_, clock_, random_, options);
    return *store_;
  }
  // The store behind a proxy, its pool not.
  PostgresEventStore& start_behind(const CuttingProxy& proxy, EventStoreOptions options = {}) {
    DatabaseOptions through = options_;
    through.conninfo = std::regex_replace(options_.conninfo, std::regex("port=[0-9]+"),
                                          "port=" + std::to_string(proxy.port()));
    through_ = std::make_unique<PooledDatabase>(through);
    options.service = "feed";
    options.logs = kLogs;
    store_ = std::make_unique<PostgresEventStore>(*through_, clock_, random_, options);
    return *store_;
  }
  Append one(const std::string& stream, std::uint64_t expected = 0) {
    return Appends(clock_.now()).on(stream, expected, {"A"}).take();
  }
  std::int64_t count(const std::string& table) {
    return database_.query("SELECT count(*) FROM " + table, {}).value().front().integer(0);
  }

  core::ManualClock clock_{*core::parse_iso8601("2026-03-04T05:06:07Z")};
  core::SystemRandom random_;
  DatabaseOptions options_ = fresh_database(kLogs);
  PooledDatabase database_{options_};
  std::unique_ptr<PooledDatabase> through_;
  std::unique_ptr<PostgresEventStore> store_;
};

TEST_F(PostgresEventStoreTest, WritesAtOnceAsLongAsNobodyIsInTheWay) {
  auto& store = start();
  for (std::uint64_t version = 0; version < 4; ++version) {
    expect_appended(store.append(one("s", version)));
  }
  EXPECT_EQ(store.status().at_once, 3U) << "the first must ask where the log stands";
  EXPECT_EQ(store.read_stream(StreamId("s"), {}, 9)->size(), 4U);
}

TEST_F(PostgresEventStoreTest, WhatWasPresumedWronglyIsDecidedByWhatIsThere) {
  auto& store = start();
  expect_appended(store.append(one("s", 0)));
  std::uint64_t version = 1;
  const auto settle = [&] {
    // One that reads first, and one at once: whether the next is presumed.
    expect_appended(store.append(one("s", version++)));
    const auto before = store.status().at_once;
    expect_appended(store.append(one("s", version++)));
    EXPECT_EQ(store.status().at_once, before + 1);
  };
  settle();
  expect_conflict(store.append(one("s", 0)), "s", version);
  settle();
  expect_conflict(store.append(one("s", version + 4)), "s", version);
  settle();
  Append asserting = one("t");
  asserting.assertions = {{StreamId("s"), core::StreamVersion(version + 1)}};
  expect_conflict(store.append(asserting), "s", version);
  Append keyed = one("keyed");
  keyed.idempotency = IdempotencyKey{"me", "route", "k", "hash"};
  keyed.result.body = "first";
  expect_appended(store.append(keyed));
  settle();
  keyed.streams[0].stream = StreamId("again");
  EXPECT_EQ(expect_already_done(store.append(keyed)).body, "first");
  EXPECT_EQ(count("event"), static_cast<std::int64_t>(version) + 1);
}

TEST_F(PostgresEventStoreTest, PositionsFollowTheDatabaseNotWhatWasPresumed) {
  auto& store = start();
  expect_appended(store.append(one("s", 0)));
  expect_appended(store.append(one("s", 1)));
  ASSERT_EQ(store.status().at_once, 1U);
  ASSERT_TRUE(database_.query("UPDATE event_log SET position = position + 5", {}).ok());
  const auto log = core::log_of("s", kLogs);
  const auto appended = expect_appended(store.append(one("s", 2)));
  EXPECT_EQ(appended.positions.at("feed", log), core::LogPosition(8));
  EXPECT_EQ(store.head(log).value(), core::LogPosition(8));
}

// It may have the batch before it, unread, and would write it after the caller was told otherwise.
TEST_F(PostgresEventStoreTest, NoBackendOfALostConnectionIsLeftWhenAnAppendIsAnswered) {
  CuttingProxy proxy(test_support::PostgresServer::shared().port());
  auto& store = start_behind(proxy);
  expect_appended(store.append(one("s", 0)));
  const auto backends = [&] {
    return database_
        .query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name LIKE '% appender'",
            {})
        .value()
        .front()
        .integer(0);
  };
  ASSERT_EQ(backends(), 1);
  proxy.cut_at("move_presumed_logs", Cut::ClientOnly);
  expect_appended(store.append(one("s", 1)));
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_TRUE(eventually([&] { return backends() == 1; }));
  EXPECT_EQ(count("event"), 2);
}

TEST_F(PostgresEventStoreTest, EventsCannotBeChangedOrDeleted) {
  expect_appended(start().append(one("s-1")));
  for (const char* sql : {"UPDATE event SET data = '{}'", "DELETE FROM event", "TRUNCATE event"}) {
    const auto refused = database_.transact([&](Transaction& t) { t.execute(sql); });
    EXPECT_FALSE(refused.ok()) << sql;
    // The right can be taken back by the owner, the trigger still refuses.
    const auto forced = database_.transact([&](Transaction& t) {
      t.execute("GRANT ALL ON event TO CURRENT_USER");
      t.execute(sql);
    });
    ASSERT_FALSE(forced.ok()) << sql;
    EXPECT_NE(forced.error().message.find("never changed"), std::string::npos);
  }
  EXPECT_EQ(count("event"), 1);
}

TEST_F(PostgresEventStoreTest, DataThatPostgresRefusesFailsItsAppendAlone) {
  EventStoreOptions options;
  PostgresEventStore& store = start(options);
  std::vector<std::future<bool>> good;
  std::vector<std::future<core::Result<eventsourcing::AppendOutcome>>> bad;
  for (int i = 0; i < 12; ++i) {
    good.push_back(std::async(std::launch::async, [&, i] {
      const auto outcome = store.append(one("good-" + std::to_string(i)));
      return outcome.ok() && std::holds_alternative<Appended>(*outcome);
    }));
    bad.push_back(std::async(std::launch::async, [&, i] {
      Append append = one("bad-" + std::to_string(i));
      append.streams[0].events[0].data = i % 2 == 0 ? std::string("a\0b", 3) : "\xff\xfe";
      return store.append(append);
    }));
  }
  for (auto& outcome : good) EXPECT_TRUE(outcome.get());
  for (auto& pending : bad) {
    const auto outcome = pending.get();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::InvalidInput) << outcome.error().message;
    EXPECT_FALSE(outcome.error().retryable);
  }
  EXPECT_EQ(count("event"), 12);
  EXPECT_EQ(store.status().failed, 12U);
}

TEST_F(PostgresEventStoreTest, AnAppendThatIsTooLargeIsRefused) {
  EventStoreOptions options;
  options.batch_bytes_max = 10'000;
  Append append = one("s-1");
  append.streams[0].events[0].data = std::string(10'000, 'x');
  const auto outcome = start(options).append(append);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::InvalidInput);
}

TEST_F(PostgresEventStoreTest, AFullQueueIsUnavailableAndWhatHadNoTurnIsWithdrawn) {
  EventStoreOptions options;
  options.queued_appends_max = 1;
  options.append_deadline = std::chrono::milliseconds(700);
  PostgresEventStore& store = start(options);
  // Somebody holds the position rows: the first append is under way, the second waits, the third
  // finds no room.
  const auto held = database_.transact([&](Transaction& transaction) {
    transaction.execute("SELECT 1 FROM event_log FOR UPDATE");
    auto first = std::async(std::launch::async, [&] { return store.append(one("s-1")); });
    while (database_
               .query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                      " AND datname = current_database()",
                      {})
               .value()
               .empty()) {
    }
    auto second = std::async(std::launch::async, [&] { return store.append(one("s-2")); });
    while (store.status().queued == 0) std::this_thread::yield();
    const auto third = store.append(one("s-3"));
    ASSERT_FALSE(third.ok());
    EXPECT_EQ(third.error().code, ErrorCode::Unavailable);
    EXPECT_TRUE(third.error().retryable);
    EXPECT_EQ(second.get().error().code, ErrorCode::Unavailable);
    EXPECT_EQ(first.get().error().code, ErrorCode::Timeout);
  });
  ASSERT_TRUE(held.ok());
  store_.reset();
  EXPECT_EQ(count("event"), 1) << "only the one whose outcome was unknown";
}

TEST_F(PostgresEventStoreTest, WhoDoesNotWaitIsToldWhenTheTurnDidNotCome) {
  EventStoreOptions options;
  options.append_deadline = std::chrono::milliseconds(300);
  PostgresEventStore& store = start(options);
  std::promise<core::Result<AppendOutcome>> first;
  std::promise<core::Result<AppendOutcome>> second;
  const auto held = database_.transact([&](Transaction& transaction) {
    transaction.execute("SELECT 1 FROM event_log FOR UPDATE");
    store.append_then(one("s-1"),
                      [&](core::Result<AppendOutcome> outcome) { first.set_value(outcome); });
    while (store.status().queued > 0) std::this_thread::yield();
    const auto due = std::chrono::steady_clock::now() + options.append_deadline;
    store.append_then(one("s-2"),
                      [&](core::Result<AppendOutcome> outcome) { second.set_value(outcome); });
    while (std::chrono::steady_clock::now() < due) std::this_thread::yield();
  });
  ASSERT_TRUE(held.ok());
  expect_appended(first.get_future().get());
  const auto late = second.get_future().get();
  ASSERT_FALSE(late.ok()) << "its deadline had passed before it was taken";
  EXPECT_EQ(late.error().code, ErrorCode::Unavailable);
  store_.reset();
  EXPECT_EQ(count("event"), 1);
}

TEST_F(PostgresEventStoreTest, ExpiredResultsAreSwept) {
  EventStoreOptions options;
  options.sweep_interval = std::chrono::milliseconds(20);
  PostgresEventStore& store = start(options);
  Append append = one("s-1");
  append.idempotency = IdempotencyKey{"me", "POST /v1/x", "k", "h"};
  expect_appended(store.append(append));
  clock_.advance(std::chrono::hours(24 * 7));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (count("idempotency_result") > 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  append = one("s-2");
  append.idempotency = IdempotencyKey{"me", "POST /v1/x", "k", "h"};
  expect_appended(store.append(append));
  EXPECT_EQ(count("idempotency_result"), 1);
}

TEST_F(PostgresEventStoreTest, ABacklogOfExpiredResultsIsSweptWithoutAPause) {
  const auto filled = database_.query(
      "INSERT INTO idempotency_result SELECT 'me', 'POST /v1/x', i::text, 'h', 200, '', '', '', '',"
      " timestamptz '2000-01-01' FROM generate_series(1, 10000) AS i",
      {});
  ASSERT_TRUE(filled.ok());
  EventStoreOptions options;
  options.sweep_interval = std::chrono::hours(1);
  PostgresEventStore& store = start(options);
  expect_appended(store.append(one("s-1")));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (count("idempotency_result") > 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
}

TEST_F(PostgresEventStoreTest, ALostConnectionBeforeTheWriteIsNotNoticed) {
  PostgresEventStore& store = start();
  expect_appended(store.append(one("s-1")));
  const auto ended = database_.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
      " WHERE application_name LIKE '%appender' AND datname = current_database()",
      {});
  ASSERT_EQ(ended.value().size(), 1U);
  expect_appended(store.append(one("s-1", 1)));
  EXPECT_EQ(count("event"), 2);
}

TEST_F(PostgresEventStoreTest, ACommitWhoseAnswerWasLostIsFoundToBeDone) {
  CuttingProxy proxy(test_support::PostgresServer::shared().port());
  PostgresEventStore& store = start_behind(proxy);
  expect_appended(store.append(one("s-1")));
  proxy.cut_at("commit_batch", Cut::AfterServer);
  Append append = one("s-1", 1);
  append.idempotency = IdempotencyKey{"me", "POST /v1/x", "k", "h"};
  const auto positions = expect_appended(store.append(append)).positions;
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(count("event"), 2) << "written once";
  EXPECT_EQ(positions.at("feed", core::log_of("s-1", kLogs)).value(), 2U);
}

TEST_F(PostgresEventStoreTest, ACommitThatNeverArrivedIsDoneAgain) {
  CuttingProxy proxy(test_support::PostgresServer::shared().port());
  PostgresEventStore& store = start_behind(proxy);
  expect_appended(store.append(one("s-1")));
  proxy.cut_at("commit_batch", Cut::BeforeServer);
  expect_appended(store.append(one("s-1", 1)));
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(count("event"), 2);
}

TEST_F(PostgresEventStoreTest, ACommitOfAResultAloneWhoseAnswerWasLostIsFoundToo) {
  CuttingProxy proxy(test_support::PostgresServer::shared().port());
  PostgresEventStore& store = start_behind(proxy);
  // The session is there, its statements are prepared.
  expect_conflict(store.append(one("s-1", 7)), "s-1", 0);
  for (const Cut cut : {Cut::AfterServer, Cut::BeforeServer}) {
    const std::string name = cut == Cut::AfterServer ? "after" : "before";
    proxy.cut_at("commit_batch", cut);
    Append append = one("s-1");
    append.streams.clear();
    append.idempotency = IdempotencyKey{"me", "POST /v1/x", name, "h"};
    append.result = {200, "it's done", "", "", {}};
    expect_appended(store.append(append));
    EXPECT_EQ(eventsourcing::testing::expect_already_done(store.append(append)).body, "it's done");
  }
  EXPECT_EQ(proxy.cuts(), 2);
  EXPECT_EQ(count("idempotency_result"), 2);
  EXPECT_EQ(count("event"), 0);
}

TEST_F(PostgresEventStoreTest, ACommitThatIsFoundToBeDoneIsCounted) {
  CuttingProxy proxy(test_support::PostgresServer::shared().port());
  PostgresEventStore& store = start_behind(proxy);
  expect_appended(store.append(one("s-1")));
  const auto before = store.status();
  proxy.cut_at("commit_batch", Cut::AfterServer);
  expect_appended(store.append(one("s-2")));
  EXPECT_EQ(store.status().batches, before.batches + 1);
  EXPECT_EQ(store.status().events, before.events + 1);
}

TEST_F(PostgresEventStoreTest, ACommitThatCannotBeLookedUpIsATimeout) {
  CuttingProxy proxy(test_support::PostgresServer::shared().port());
  EventStoreOptions options;
  options.resolve_deadline = std::chrono::milliseconds(300);
  PostgresEventStore& store = start_behind(proxy, options);
  expect_appended(store.append(one("s-1")));
  proxy.cut_at("commit_batch", Cut::AfterServer);
  proxy.refuse_after_cut();
  const auto outcome = store.append(one("s-1", 1));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::Timeout) << outcome.error().message;
  EXPECT_EQ(store.status().unresolved, 1U);
  const auto away = store.append(one("s-1", 2));
  ASSERT_FALSE(away.ok());
  EXPECT_EQ(away.error().code, ErrorCode::Unavailable) << "nothing was written: that is certain";
  proxy.refuse(false);
  expect_conflict(store.append(one("s-1", 1)), "s-1", 2);
}

TEST_F(PostgresEventStoreTest, AnotherNumberOfLogsThanTheDatabaseHasIsAnError) {
  EventStoreOptions options;
  options.service = "feed";
  options.logs = kLogs + 6;
  PostgresEventStore store(database_, clock_, random_, options);
  EXPECT_FALSE(store.heads().ok());
  std::string stream = "s";
  while (core::log_of(stream, options.logs).value() < kLogs) stream += "s";
  const auto outcome = store.append(one(stream));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::Internal);
}

}  // namespace
}  // namespace tideline::postgres::testing
