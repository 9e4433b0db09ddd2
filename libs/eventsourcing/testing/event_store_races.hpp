// The laws of an event store under concurrent appends from two replicas. Backends are those of
// event_store_suite.hpp. The last test compares random histories with a model (random_history.hpp,
// serial_history.hpp); rapidcheck prints the seed.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/testing/appends.hpp"
#include "eventsourcing/testing/random_history.hpp"

namespace tideline::eventsourcing::testing {

template <class Backend>
class EventStoreRaces : public ::testing::Test {
 protected:
  static constexpr int kThreads = 8;
  static constexpr std::uint32_t kLogs = 3;

  core::Timestamp now() { return backend_.clock().now(); }
  EventStore& store_of(int thread) { return backend_.store(thread % 2); }

  Backend backend_{kLogs};
};

TYPED_TEST_SUITE_P(EventStoreRaces);

TYPED_TEST_P(EventStoreRaces, OneAppendWinsEachVersion) {
  constexpr int kRounds = 10;
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  in_parallel(this->kThreads, [&](int thread) {
    for (std::uint64_t version = 0; version < kRounds; ++version) {
      const auto outcome =
          this->store_of(thread).append(Appends(this->now()).on("s-1", version, {"A"}).take());
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      if (std::holds_alternative<Appended>(*outcome)) {
        ++won;
      } else {
        ++lost;
      }
      // Only where this version is taken may the next one be asked for.
      ASSERT_GE(this->store_of(thread).read_last(core::StreamId("s-1")).value()->version.value(),
                version + 1);
    }
  });
  EXPECT_EQ(won, kRounds);
  EXPECT_EQ(lost, kRounds * (this->kThreads - 1));
}

TYPED_TEST_P(EventStoreRaces, AReaderOfTheLogsNeverMissesAnEvent) {
  constexpr std::uint64_t kEach = 40;
  const std::uint64_t total = kEach * 2 * static_cast<std::uint64_t>(this->kThreads);
  std::atomic<bool> gap{false};
  std::uint64_t seen = 0;
  std::thread reader([&] {
    std::vector<std::uint64_t> reached(this->kLogs, 0);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (seen < total && std::chrono::steady_clock::now() < deadline) {
      for (std::uint32_t log = 0; log < this->kLogs; ++log) {
        const auto events = this->backend_.log(0)
                                .read_log(core::LogIndex(log), core::LogPosition(reached[log]), 100)
                                .value();
        for (const RecordedEvent& event : events) {
          if (event.position.value() != ++reached[log]) gap = true;
          ++seen;
        }
      }
    }
  });
  in_parallel(this->kThreads, [&](int thread) {
    for (std::uint64_t i = 0; i < kEach; ++i) {
      const std::string name = std::to_string(thread) + "-" + std::to_string(i);
      expect_appended(this->store_of(thread).append(
          Appends(this->now()).on("a-" + name, 0, {"A"}).on("b-" + name, 0, {"B"}).take()));
    }
  });
  reader.join();
  EXPECT_EQ(seen, total);
  EXPECT_FALSE(gap) << "a position was passed over";
}

TYPED_TEST_P(EventStoreRaces, AKeyIsDoneOnceHoweverManyTry) {
  constexpr int kKeys = 20;
  std::vector<std::atomic<int>> done(kKeys);
  in_parallel(this->kThreads, [&](int thread) {
    for (int key = 0; key < kKeys; ++key) {
      // Another stream for each try: nothing but the key stands in the way.
      Append append = Appends(this->now())
                          .on("s-" + std::to_string(key) + "-" + std::to_string(thread), 0, {"A"})
                          .take();
      append.idempotency = IdempotencyKey{"me", "POST /v1/x", std::to_string(key), "hash"};
      const auto outcome = this->store_of(thread).append(append);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      if (std::holds_alternative<Appended>(*outcome)) ++done[static_cast<std::size_t>(key)];
      ASSERT_FALSE(std::holds_alternative<VersionConflict>(*outcome));
      ASSERT_FALSE(std::holds_alternative<KeyReused>(*outcome));
    }
  });
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TYPED_TEST_P(EventStoreRaces, AnyHistoryEqualsOneInSomeOrder) {
  constexpr int kWriters = 4;
  int histories = 0;
  int appended = 0;
  EXPECT_TRUE(rc::check("concurrent appends are serial", [&] {
    const auto wanted = random_history("h" + std::to_string(++histories), kWriters, this->now());
    HistoryRun run([this](int replica) -> EventStore& { return this->backend_.store(replica); },
                   this->backend_.log(0));
    const History history = run.run(wanted);
    for (const Told& one : history.told) {
      RC_ASSERT(one.outcome.has_value());
      if (std::holds_alternative<Appended>(*one.outcome)) ++appended;
    }
    const std::string wrong = run.observed() + why_not_serial(history);
    EXPECT_EQ(wrong, "");  // the same case may go well when rapidcheck tries it again
    RC_ASSERT(wrong.empty());
  }));
  EXPECT_GT(appended, histories) << "the appends stood in each other's way: nothing was tested";
}

REGISTER_TYPED_TEST_SUITE_P(EventStoreRaces, OneAppendWinsEachVersion,
                            AReaderOfTheLogsNeverMissesAnEvent, AKeyIsDoneOnceHoweverManyTry,
                            AnyHistoryEqualsOneInSomeOrder);

}  // namespace tideline::eventsourcing::testing
