// Logs spread over two clusters: an append over both is all or nothing, whatever dies in between.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <ostream>
#include <thread>
#include <vector>

#include "cutting_proxy.hpp"
#include "eventsourcing/store/append_rules.hpp"
#include "eventsourcing/testing/appends.hpp"
#include "killed_program.hpp"
#include "two_clusters.hpp"

namespace tideline::postgres::testing {
namespace {

using eventsourcing::AlreadyDone;
using eventsourcing::Append;
using eventsourcing::Appended;
using eventsourcing::IdempotencyKey;
using eventsourcing::testing::Appends;
using eventsourcing::testing::expect_appended;
using eventsourcing::testing::expect_conflict;

constexpr std::uint32_t kLogs = 4;

class SpreadEventStore : public ::testing::Test {
 protected:
  PostgresEventStore& start() { return start(options_); }
  PostgresEventStore& start(
      const BothOptions& options,
      std::chrono::milliseconds recovery_interval = std::chrono::milliseconds(50)) {
    EventStoreOptions with;
    with.service = "feed";
    with.logs = kLogs;
    with.recovery_interval = recovery_interval;
    store_.reset();
    own_ = std::make_unique<BothPools>(options);
    store_ = std::make_unique<PostgresEventStore>(own_->places(kLogs), clock_, random_, with);
    return *store_;
  }
  static BothOptions through(BothOptions options, std::size_t index, const CuttingProxy& proxy) {
    options[index].conninfo = with_port(options[index].conninfo, proxy.port());
    return options;
  }
  // One event in each cluster; the first decides.
  Append both(const std::string& name, std::uint64_t expected = 0) {
    return Appends(clock_.now())
        .on(stream_in(0, kLogs, name), expected, {"A"})
        .on(stream_in(1, kLogs, name), expected, {"B"})
        .take();
  }
  std::vector<std::int64_t> events() {
    return {pools_.count(0, "event"), pools_.count(1, "event")};
  }
  void expect_gapless() {
    for (const std::size_t index : {0, 1}) {
      const auto gaps = pools_.at(index).query(
          "SELECT l.log FROM event_log l LEFT JOIN event e ON e.log = l.log"
          " GROUP BY l.log, l.position"
          " HAVING count(e.*) <> l.position OR coalesce(max(e.position), 0) <> l.position",
          {});
      EXPECT_TRUE(gaps.value().empty()) << "cluster " << index;
    }
  }

  core::ManualClock clock_{*core::parse_iso8601("2026-03-04T05:06:07Z")};
  core::SystemRandom random_;
  BothOptions options_ = fresh_databases(kLogs);
  BothPools pools_{options_};
  std::unique_ptr<BothPools> own_;
  std::unique_ptr<PostgresEventStore> store_;
};

TEST_F(SpreadEventStore, AnAppendOverBothIsInBothAndEachLogInItsOwn) {
  PostgresEventStore& store = start();
  const auto positions = expect_appended(store.append(both("s"))).positions;
  EXPECT_EQ(events(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(positions.services().at("feed").size(), 2U);
  EXPECT_EQ(store.status().spread, 1U);
  expect_appended(
      store.append(Appends(clock_.now()).on(stream_in(1, kLogs, "t"), 0, {"A"}).take()));
  EXPECT_EQ(store.status().spread, 1U) << "one cluster needs no two phases";
  EXPECT_EQ(store.status().events, 3U);
  for (const std::size_t index : {0, 1}) {
    EXPECT_EQ(pools_.count(index, "event WHERE log % 2 <> " + std::to_string(index)), 0);
  }
  EXPECT_EQ(pools_.prepared(), 0);
  expect_conflict(store.append(both("s")), stream_in(0, kLogs, "s"), 1);
  expect_gapless();
}

TEST_F(SpreadEventStore, DataThatOneClusterRefusesFailsItsAppendAlone) {
  PostgresEventStore& store = start();
  Append bad = both("bad");
  bad.streams[1].events[0].data = "\xff\xfe";
  std::thread other([&] { expect_appended(store.append(both("good"))); });
  const auto refused = store.append(bad);
  other.join();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, core::ErrorCode::InvalidInput);
  EXPECT_EQ(events(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(pools_.prepared(), 0);
}

struct Moment {
  std::size_t cluster;  // whose connection
  std::string text;
  Cut before;
  bool committed;
};
void PrintTo(const Moment& moment, std::ostream* out) {
  *out << "cluster " << moment.cluster << ", "
       << moment.text.substr(moment.text.front() == '\0' ? 1 : 0) << ", cut "
       << static_cast<int>(moment.before);
}

// As they are bound, not as they are prepared: behind the empty name of the portal.
const std::string kDecision("\0commit_batch", 13);
const std::string kLocking("\0lock_logs", 10);

class LostConnection : public SpreadEventStore, public ::testing::WithParamInterface<Moment> {};

TEST_P(LostConnection, IsNotNoticedAndNothingIsDoneTwice) {
  const Moment& moment = GetParam();
  CuttingProxy proxy(cluster(moment.cluster).port());
  PostgresEventStore& store = start(through(options_, moment.cluster, proxy));
  expect_appended(store.append(both("s")));
  proxy.cut_at(moment.text, moment.before);
  expect_appended(store.append(both("s", 1)));
  EXPECT_EQ(proxy.cuts(), 1);
  ASSERT_TRUE(eventually([&] { return pools_.prepared() == 0; }));
  EXPECT_EQ(events(), (std::vector<std::int64_t>{2, 2}));
  expect_appended(store.append(both("s", 2)));
  expect_gapless();
}

INSTANTIATE_TEST_SUITE_P(
    Moments, LostConnection,
    ::testing::Values(Moment{0, kLocking, Cut::AfterServer, false},
                      Moment{1, kLocking, Cut::AfterServer, false},
                      Moment{1, "PREPARE TRANSACTION", Cut::BeforeServer, false},
                      Moment{1, "PREPARE TRANSACTION", Cut::AfterServer, false},
                      Moment{0, kDecision, Cut::BeforeServer, false},
                      Moment{0, kDecision, Cut::AfterServer, true},
                      Moment{1, "COMMIT PREPARED", Cut::BeforeServer, true},
                      Moment{1, "COMMIT PREPARED", Cut::AfterServer, true}));

class KilledWriter : public SpreadEventStore, public ::testing::WithParamInterface<Moment> {};

// Another process finishes what the killed one has left, one way or the other, and the retry under
// the same key finds out which.
TEST_P(KilledWriter, LeavesAllOrNothing) {
  const Moment& moment = GetParam();
  CuttingProxy proxy(cluster(moment.cluster).port());
  proxy.cut_at(moment.text, moment.before);
  const BothOptions of_program = through(options_, moment.cluster, proxy);
  Append retry = both("s");
  KilledProgram program({TIDELINE_APPEND_PROGRAM, std::to_string(kLogs), of_program[0].conninfo,
                         of_program[1].conninfo, "k", retry.streams[0].stream.value(),
                         retry.streams[1].stream.value()});
  ASSERT_TRUE(eventually([&] { return proxy.cuts() == 1; }));
  program.kill();
  EXPECT_EQ(pools_.prepared(), 1) << "the writer was killed at another moment";

  PostgresEventStore& store = start();
  ASSERT_TRUE(eventually([&] { return pools_.prepared() == 0; }));
  EXPECT_TRUE(eventually([&] { return store.status().recovered == 1; }));
  const std::int64_t each = moment.committed ? 1 : 0;
  EXPECT_EQ(events(), (std::vector<std::int64_t>{each, each}));
  expect_gapless();

  clock_.advance(core::SystemClock().now() - clock_.now());
  retry.time = clock_.now();
  retry.idempotency = IdempotencyKey{"me", "POST /v1/x", "k", "hash"};
  const auto retried = store.append(retry);
  ASSERT_TRUE(retried.ok()) << retried.error().message;
  EXPECT_EQ(std::holds_alternative<AlreadyDone>(*retried), moment.committed);
  EXPECT_EQ(events(), (std::vector<std::int64_t>{1, 1}));
  expect_appended(store.append(both("s", 1)));
  expect_gapless();
}

INSTANTIATE_TEST_SUITE_P(
    Moments, KilledWriter,
    ::testing::Values(Moment{1, "PREPARE TRANSACTION", Cut::HoldAfterServer, false},
                      Moment{0, kDecision, Cut::HoldBeforeServer, false},
                      Moment{0, kDecision, Cut::HoldAfterServer, true},
                      Moment{1, "COMMIT PREPARED", Cut::HoldBeforeServer, true}));

TEST_F(SpreadEventStore, AKeyIsNotNewWhileItsAppendIsInDoubt) {
  IdempotencyKey key{"me", "POST /v1/x", "k", "hash"};
  while (eventsourcing::log_of_key(key, kLogs).value() % 2 == 0) key.key += "k";
  CuttingProxy proxy(cluster(1).port());
  proxy.cut_at("COMMIT PREPARED", Cut::HoldBeforeServer);
  const BothOptions of_program = through(options_, 1, proxy);
  KilledProgram program({TIDELINE_APPEND_PROGRAM, std::to_string(kLogs), of_program[0].conninfo,
                         of_program[1].conninfo, key.key, stream_in(0, kLogs, "s")});
  ASSERT_TRUE(eventually([&] { return proxy.cuts() == 1; }));
  program.kill();
  PostgresEventStore& store = start(options_, std::chrono::milliseconds(500));
  // A command that meets the event must be told that it is its own.
  EXPECT_EQ(events(), (std::vector<std::int64_t>{1, 0}));
  const auto found = store.find_result(key);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found->has_value()) << "the key was said to be new";
}

TEST_F(SpreadEventStore, AnAppendUnderWayIsLeftAlone) {
  // A writer that is slow, not dead: it has prepared, and its decision is still under way.
  CuttingProxy proxy(cluster(0).port());
  proxy.cut_at(kDecision, Cut::HoldBeforeServer);
  const BothOptions of_program = through(options_, 0, proxy);
  const Append wanted = both("s");
  KilledProgram program({TIDELINE_APPEND_PROGRAM, std::to_string(kLogs), of_program[0].conninfo,
                         of_program[1].conninfo, "k", wanted.streams[0].stream.value(),
                         wanted.streams[1].stream.value()});
  ASSERT_TRUE(eventually([&] { return proxy.cuts() == 1; }));
  start();
  // The one that looks into it waits for the lock of the deciding log.
  ASSERT_TRUE(eventually([&] {
    return pools_.count(0,
                        "pg_stat_activity WHERE wait_event_type = 'Lock'"
                        " AND datname = current_database()") > 0;
  }));
  EXPECT_EQ(pools_.prepared(), 1);
  program.kill();
  ASSERT_TRUE(eventually([&] { return pools_.prepared() == 0; }));
  EXPECT_EQ(events(), (std::vector<std::int64_t>{0, 0}));
}

TEST_F(SpreadEventStore, TheLogsOfOneClusterAreReadWhileTheOtherIsAway) {
  PostgresEventStore& store = start();
  expect_appended(store.append(both("s")));
  cluster(1).kill();
  EXPECT_FALSE(store.heads().ok());
  EXPECT_FALSE(store.in_database(1).heads().ok());
  eventsourcing::EventLog& there = store.in_database(0);
  const auto heads = there.heads();
  ASSERT_TRUE(heads.ok()) << heads.error().message;
  std::uint64_t events = 0;
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    const auto held = there.read_log(core::LogIndex(log), core::LogPosition(0), 10);
    ASSERT_TRUE(held.ok()) << held.error().message;
    EXPECT_EQ(held->size(), (*heads)[log].value());
    events += held->size();
    if (log % 2 == 1) {
      EXPECT_EQ(held->size(), 0U) << "lies in the other cluster";
    }
  }
  EXPECT_EQ(events, 1U);
  cluster(1).start();
}

TEST_F(SpreadEventStore, ACrashOfEitherClusterKeepsWhatWasAcknowledgedWhole) {
  PostgresEventStore& store = start();
  std::atomic<bool> stop{false};
  std::atomic<int> acknowledged{0};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; !stop; ++i) {
        Append append = both(std::to_string(writer) + "-" + std::to_string(i));
        if (i % 2 == 1) std::swap(append.streams[0], append.streams[1]);  // the other one decides
        const auto outcome = store.append(append);
        if (outcome.ok() && std::holds_alternative<Appended>(*outcome)) ++acknowledged;
      }
    });
  }
  for (const std::size_t victim : {1, 0}) {
    const int before = acknowledged;
    EXPECT_TRUE(eventually([&] { return acknowledged >= before + 30; }));
    cluster(victim).kill();
    cluster(victim).start();
    const int after = acknowledged;
    EXPECT_TRUE(eventually([&] { return acknowledged >= after + 30; })) << "appends do not go on";
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  ASSERT_TRUE(eventually([&] {
    const auto left = own_->at(1).query("SELECT 1 FROM pg_prepared_xacts", {});
    return left.ok() && left->empty();
  }));
  const auto each = events();
  EXPECT_EQ(each[0], each[1]) << "an append is there by half";
  EXPECT_GE(each[0], acknowledged.load());
  expect_gapless();
}

TEST_F(SpreadEventStore, PlacesThatCannotBeAreRefused) {
  EXPECT_TRUE(check_places(pools_.places(kLogs)).ok());

  BothPools twice({options_[0], options_[0]});
  const auto same = check_places(twice.places(kLogs));
  ASSERT_FALSE(same.ok());
  EXPECT_EQ(same.error().message, "the database of logs 1,3 is also the database of logs 0,2");

  expect_appended(start().append(both("s")));
  BothPools swapped({options_[1], options_[0]});
  const auto elsewhere = check_places(swapped.places(kLogs));
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_NE(elsewhere.error().message.find("which is said to lie elsewhere"), std::string::npos)
      << elsewhere.error().message;

  test_support::PostgresServer unprepared(0);
  const DatabaseOptions without = options_for(unprepared.create_database());
  const MigrationSet base = base_migrations(kLogs);
  ASSERT_TRUE(migrate(without, {&base, 1}).ok());
  BothPools unable({options_[0], without});
  const auto refused = check_places(unable.places(kLogs));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("max_prepared_transactions = 0"), std::string::npos)
      << refused.error().message;

  const auto careless = pools_.at(1).query(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
      " current_database()); END $$",
      {});
  ASSERT_TRUE(careless.ok()) << careless.error().message;
  BothPools forgetful(options_);
  const auto unsafe = check_places(forgetful.places(kLogs));
  ASSERT_FALSE(unsafe.ok());
  EXPECT_NE(unsafe.error().message.find("synchronous_commit = off"), std::string::npos)
      << unsafe.error().message;
}

}  // namespace
}  // namespace tideline::postgres::testing
