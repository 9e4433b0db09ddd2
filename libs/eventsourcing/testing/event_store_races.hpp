// The laws of an event store under concurrent appends from two replicas. Backends are those of
// event_store_suite.hpp. The last test compares random histories with a model; rapidcheck prints
// the seed of one that fails.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventsourcing/event_store.hpp"
#include "eventsourcing/testing/appends.hpp"

namespace tideline::eventsourcing::testing {

inline void in_parallel(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : running) thread.join();
}

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

// What one append asked for and was answered, told apart by its marker: the type of its events.
struct Told {
  std::string marker;
  Append append;
  AppendOutcome outcome;
};

// True if the appends that were answered "appended" lie in the log, whole, in an order in which
// each of them is right: its streams and assertions stood where it expected. Logs: one, so that the
// order of positions is the order of commits.
inline bool is_serial(const std::vector<RecordedEvent>& log, const std::vector<Told>& told) {
  std::map<std::string, const Told*> by_marker;
  for (const Told& one : told) by_marker[one.marker] = &one;
  std::map<core::StreamId, std::uint64_t> versions;
  std::map<std::string, std::string> key_owner;
  std::size_t at = 0;
  std::size_t appended = 0;
  while (at < log.size()) {
    const auto found = by_marker.find(log[at].type);
    if (found == by_marker.end()) return false;
    const Told& one = *found->second;
    if (!std::holds_alternative<Appended>(one.outcome)) return false;
    for (const auto& assertion : one.append.assertions) {
      if (versions[assertion.stream] != assertion.expected.value()) return false;
    }
    for (const auto& part : one.append.streams) {
      if (versions[part.stream] != part.expected.value()) return false;
      for (std::size_t i = 0; i < part.events.size(); ++i, ++at) {
        if (at >= log.size() || log[at].type != one.marker || log[at].stream != part.stream ||
            log[at].version.value() != ++versions[part.stream]) {
          return false;
        }
      }
    }
    if (std::get<Appended>(one.outcome).positions.at("feed", core::LogIndex(0)) !=
        log[at - 1].position) {
      return false;
    }
    if (one.append.idempotency &&
        !key_owner.emplace(one.append.idempotency->key, one.marker).second)
      return false;
    ++appended;
  }
  std::size_t promised = 0;
  for (const Told& one : told) {
    if (std::holds_alternative<Appended>(one.outcome)) ++promised;
    if (const auto* done = std::get_if<AlreadyDone>(&one.outcome)) {
      if (key_owner[one.append.idempotency->key] != done->result.body) return false;
    }
  }
  return promised == appended;
}

// Streams, keys and versions are few, so that appends get into each other's way.
inline Append random_append(const std::string& prefix, const std::string& marker,
                            core::Timestamp now) {
  const auto stream = [&] { return prefix + "-" + std::to_string(*rc::gen::inRange(0, 3)); };
  const auto version = [] { return *rc::gen::inRange<std::uint64_t>(0, 4); };
  Appends appends(now);
  const int parts = *rc::gen::inRange(1, 3);
  for (int i = 0; i < parts; ++i) {
    appends.on(stream(), version(),
               std::vector<std::string>(*rc::gen::inRange<std::size_t>(1, 3), marker));
  }
  Append append = appends.take();
  if (*rc::gen::inRange(0, 3) == 0) {
    append.assertions.push_back({core::StreamId(stream()), core::StreamVersion(version())});
  }
  if (*rc::gen::inRange(0, 2) == 0) {
    append.idempotency =
        IdempotencyKey{prefix, "r", std::to_string(*rc::gen::inRange(0, 3)), "hash"};
    append.result.body = marker;
  }
  return append;
}

TYPED_TEST_P(EventStoreRaces, AnyHistoryEqualsOneInSomeOrder) {
  TypeParam backend(1);
  constexpr std::size_t kWriters = 4;
  int history = 0;
  EXPECT_TRUE(rc::check("concurrent appends are serial", [&] {
    const std::string prefix = "h" + std::to_string(++history);
    const core::LogPosition before = backend.log(0).head(core::LogIndex(0)).value();
    std::vector<std::vector<Append>> wanted(kWriters);
    for (std::size_t writer = 0; writer < kWriters; ++writer) {
      const int count = *rc::gen::inRange(1, 7);
      for (int i = 0; i < count; ++i) {
        const std::string marker = std::to_string(writer) + "." + std::to_string(i);
        wanted[writer].push_back(random_append(prefix, marker, backend.clock().now()));
      }
    }
    std::vector<std::vector<Told>> told(kWriters);
    in_parallel(static_cast<int>(kWriters), [&](int writer) {
      const auto index = static_cast<std::size_t>(writer);
      for (const Append& append : wanted[index]) {
        told[index].push_back({append.streams[0].events[0].type, append,
                               backend.store(writer % 2).append(append).value()});
      }
    });
    std::vector<Told> all;
    for (const auto& part : told) all.insert(all.end(), part.begin(), part.end());
    const auto log = backend.log(0).read_log(core::LogIndex(0), before, 1000).value();
    for (std::size_t i = 0; i < log.size(); ++i) {
      RC_ASSERT(log[i].position.value() == before.value() + i + 1);
    }
    RC_ASSERT(is_serial(log, all));
  }));
}

REGISTER_TYPED_TEST_SUITE_P(EventStoreRaces, OneAppendWinsEachVersion,
                            AReaderOfTheLogsNeverMissesAnEvent, AKeyIsDoneOnceHoweverManyTry,
                            AnyHistoryEqualsOneInSomeOrder);

}  // namespace tideline::eventsourcing::testing
