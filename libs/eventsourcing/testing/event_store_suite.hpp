// The laws of an event store, held against every adapter by one suite:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(InMemory, EventStoreSuite, InMemoryBackend);
//
// A backend is made for each test, empty, with a number of logs:
//
//   struct Backend {
//     explicit Backend(std::uint32_t logs);
//     EventStore& store(int replica);   // 0 or 1: two processes on one database, if there are such
//     EventLog& log(int replica);
//     core::ManualClock& clock();       // of both
//   };
//
// Laws of concurrent appends are in event_store_races.hpp.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/testing/appends.hpp"

namespace tideline::eventsourcing::testing {

template <class Backend>
class EventStoreSuite : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kLogs = 4;

  EventStore& store() { return backend_.store(0); }
  Append append_of(const std::string& stream, std::uint64_t expected,
                   const std::vector<std::string>& types) {
    return Appends(backend_.clock().now()).on(stream, expected, types).take();
  }
  std::uint64_t version_of(const std::string& stream) {
    const auto last = store().read_last(core::StreamId(stream)).value();
    return last ? last->version.value() : 0;
  }
  std::uint64_t events_in_all_logs() {
    std::uint64_t count = 0;
    for (const core::LogPosition head : backend_.log(0).heads().value()) count += head.value();
    return count;
  }

  Backend backend_{kLogs};
};

TYPED_TEST_SUITE_P(EventStoreSuite);

TYPED_TEST_P(EventStoreSuite, CountsVersionsAndPositionsFromOneWithoutGaps) {
  PositionVector last;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::string stream = "s-" + std::to_string(i % 5);
    const auto outcome = this->store().append(this->append_of(stream, i / 5 * 2, {"A", "B"}));
    last.join(expect_appended(outcome).positions);
  }
  std::uint64_t events = 0;
  for (std::uint32_t log = 0; log < this->kLogs; ++log) {
    const auto read =
        this->backend_.log(0).read_log(core::LogIndex(log), core::LogPosition(0), 1000).value();
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].position.value(), i + 1);
      EXPECT_EQ(read[i].log, core::log_of(read[i].stream.value(), this->kLogs));
    }
    EXPECT_EQ(last.at("feed", core::LogIndex(log)).value(), read.size());
    EXPECT_EQ(this->backend_.log(0).head(core::LogIndex(log)).value().value(), read.size());
    events += read.size();
  }
  EXPECT_EQ(events, 40U);
  EXPECT_EQ(this->events_in_all_logs(), 40U);
  const auto stream =
      this->store().read_stream(core::StreamId("s-3"), core::StreamVersion(0), 100).value();
  ASSERT_EQ(stream.size(), 8U);
  for (std::size_t i = 0; i < stream.size(); ++i) EXPECT_EQ(stream[i].version.value(), i + 1);
}

TYPED_TEST_P(EventStoreSuite, KeepsEverythingOfAnEvent) {
  const std::string awkward = R"({"text":"quotes ' \" back\\slash, {brace}, NULL, ünïcödé ✓"})";
  Append append = this->append_of("s-1", 0, {"First"});
  append.streams[0].events[0].data = awkward + "\n\t";
  append.streams[0].events[0].schema_version = core::SchemaVersion(7);
  append.streams[0].events.push_back({"Second", core::SchemaVersion(1), "{}", Visibility::Private});
  append.metadata = {"correlation", "", "00-'trace'\\ a='1',b={,}"};
  append.time = *core::parse_iso8601("2026-01-02T03:04:05.678901Z");
  expect_appended(this->store().append(append));

  const auto read =
      this->store().read_stream(core::StreamId("s-1"), core::StreamVersion(0), 10).value();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].type, "First");
  EXPECT_EQ(read[0].data, awkward + "\n\t");
  EXPECT_EQ(read[0].schema_version.value(), 7U);
  EXPECT_EQ(read[0].source, "feed");
  EXPECT_EQ(read[0].stream.value(), "s-1");
  EXPECT_EQ(read[0].time, append.time);
  EXPECT_EQ(read[0].metadata.correlation_id, "correlation");
  EXPECT_EQ(read[0].metadata.causation_id, "");
  EXPECT_EQ(read[0].metadata.traceparent, "00-'trace'\\ a='1',b={,}");
  EXPECT_EQ(read[0].visibility, Visibility::Public);
  EXPECT_EQ(read[0].id.size(), 36U);
  EXPECT_EQ(read[0].id[14], '7');
  EXPECT_NE(read[0].id, read[1].id);
  EXPECT_EQ(read[1].visibility, Visibility::Private);

  const auto from_log = this->backend_.log(0).read_log(read[0].log, core::LogPosition(0), 10);
  ASSERT_EQ(from_log.value().size(), 2U);
  EXPECT_EQ(from_log.value()[1].data, "{}") << "the log holds the data of private events";
  EXPECT_EQ(from_log.value()[1].visibility, Visibility::Private);
}

TYPED_TEST_P(EventStoreSuite, ReadsAPartOfAStreamAndItsLastEvent) {
  expect_appended(this->store().append(this->append_of("s-1", 0, {"A", "B", "C", "D"})));
  const core::StreamId stream("s-1");
  const auto part = this->store().read_stream(stream, core::StreamVersion(1), 2).value();
  ASSERT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0].type, "B");
  EXPECT_EQ(part[1].type, "C");
  EXPECT_EQ(this->store().read_last(stream).value()->type, "D");
  EXPECT_TRUE(this->store().read_stream(stream, core::StreamVersion(4), 9).value().empty());
  EXPECT_FALSE(this->store().read_last(core::StreamId("s-none")).value().has_value());
  EXPECT_TRUE(this->store()
                  .read_stream(core::StreamId("s-none"), core::StreamVersion(0), 9)
                  .value()
                  .empty());
  const auto log = core::log_of("s-1", this->kLogs);
  const auto page = this->backend_.log(0).read_log(log, core::LogPosition(2), 1).value();
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].position.value(), 3U);
}

TYPED_TEST_P(EventStoreSuite, ReadsWhatACompactionKeeps) {
  expect_appended(this->store().append(this->append_of("s-1", 0, {"A", "B", "C", "D", "E"})));
  const core::StreamId stream("s-1");
  const auto types = [&](int replica, std::uint32_t revision, std::size_t limit = 9) {
    std::string all;
    const auto read = this->backend_.store(replica).read_compacted(stream, revision, limit);
    for (const RecordedEvent& event : read.value()) all += event.type;
    return all;
  };
  const auto save = [&](std::uint32_t revision, std::uint64_t upto,
                        const std::vector<core::StreamVersion>& kept) {
    const StreamCompaction compaction{revision, core::StreamVersion(upto), kept};
    EXPECT_TRUE(this->store().save_compaction(stream, compaction));
  };
  using V = core::StreamVersion;
  EXPECT_EQ(types(0, 1), "ABCDE");
  EXPECT_EQ(types(0, 1, 2), "AB");
  save(1, 4, {V(2), V(4)});
  EXPECT_EQ(types(0, 1), "BDE");
  EXPECT_EQ(types(1, 1), "BDE");
  expect_appended(this->store().append(this->append_of("s-1", 5, {"F"})));
  EXPECT_EQ(types(0, 1), "BDEF");
  EXPECT_EQ(types(0, 1, 1), "BDE") << "a limit is one of what comes behind";
  EXPECT_EQ(types(0, 2), "ABCDEF") << "by another rule other events count";
  save(1, 3, {V(3)});
  EXPECT_EQ(types(0, 1), "BDEF") << "an earlier one comes too late";
  save(2, 3, {V(3)});
  EXPECT_EQ(types(0, 2), "CDEF");
  EXPECT_EQ(types(0, 1), "ABCDEF");
  save(1, 6, {V(6)});
  EXPECT_EQ(types(0, 2), "CDEF") << "an older program does not take it away";
  const auto none = this->store().read_compacted(core::StreamId("s-none"), 1, 9).value();
  EXPECT_TRUE(none.empty());
}

TYPED_TEST_P(EventStoreSuite, AnotherVersionThanExpectedIsAConflict) {
  expect_appended(this->store().append(this->append_of("s-1", 0, {"A"})));
  expect_conflict(this->store().append(this->append_of("s-1", 0, {"X"})), "s-1", 1);
  expect_conflict(this->store().append(this->append_of("s-1", 2, {"X"})), "s-1", 1);
  expect_conflict(this->store().append(this->append_of("s-2", 1, {"X"})), "s-2", 0);
  expect_appended(this->store().append(this->append_of("s-1", 1, {"B"})));
  EXPECT_EQ(this->events_in_all_logs(), 2U) << "a conflict takes no position";
}

TYPED_TEST_P(EventStoreSuite, WritesSeveralStreamsAllOrNothing) {
  expect_appended(this->store().append(this->append_of("s-2", 0, {"A"})));
  Append pair = this->append_of("s-1", 0, {"X"});
  pair.streams.push_back(this->append_of("s-2", 0, {"X"}).streams[0]);
  expect_conflict(this->store().append(pair), "s-2", 1);
  EXPECT_EQ(this->version_of("s-1"), 0U);
  pair.streams[1].expected = core::StreamVersion(1);
  const auto positions = expect_appended(this->store().append(pair)).positions;
  EXPECT_EQ(this->version_of("s-1"), 1U);
  EXPECT_EQ(this->version_of("s-2"), 2U);
  for (const char* stream : {"s-1", "s-2"}) {
    const auto last = this->store().read_last(core::StreamId(stream)).value();
    EXPECT_GE(positions.at("feed", last->log), last->position);
  }
}

TYPED_TEST_P(EventStoreSuite, AStreamNamedTwiceGoesOnFromItself) {
  Append twice = this->append_of("s-1", 0, {"A", "B"});
  twice.streams.push_back(this->append_of("s-1", 0, {"C"}).streams[0]);
  expect_conflict(this->store().append(twice), "s-1", 2);
  EXPECT_EQ(this->version_of("s-1"), 0U);
  twice.streams[1].expected = core::StreamVersion(2);
  expect_appended(this->store().append(twice));
  EXPECT_EQ(this->version_of("s-1"), 3U);
}

TYPED_TEST_P(EventStoreSuite, AssertedStreamsMustStandWhereTheyWereSeen) {
  expect_appended(this->store().append(this->append_of("voting", 0, {"VotingOpened"})));
  Append vote = this->append_of("vote-1", 0, {"VoteCast"});
  vote.assertions = {{core::StreamId("voting"), core::StreamVersion(1)},
                     {core::StreamId("absent"), core::StreamVersion(0)}};
  expect_appended(this->store().append(vote));
  expect_appended(this->store().append(this->append_of("voting", 1, {"VotingClosed"})));
  vote.streams[0].stream = core::StreamId("vote-2");
  expect_conflict(this->store().append(vote), "voting", 2);
  EXPECT_EQ(this->version_of("vote-2"), 0U);
}

TYPED_TEST_P(EventStoreSuite, AKeyGivesItsFirstResultAgain) {
  Append append = this->append_of("s-1", 0, {"A"});
  append.idempotency = IdempotencyKey{"me", "POST /v1/x", "k1", "hash"};
  append.result = {201, R"({"id":"1"})", "/v1/x/1", "1", {}};
  EXPECT_FALSE(this->store().find_result(*append.idempotency).value().has_value());
  const auto positions = expect_appended(this->store().append(append)).positions;
  expect_appended(this->store().append(this->append_of("s-1", 1, {"B"})));

  for (EventStore* store : {&this->backend_.store(0), &this->backend_.store(1)}) {
    Append again = append;
    again.result.body = "another";
    const StoredResult result = expect_already_done(store->append(again));
    EXPECT_EQ(result.status, 201);
    EXPECT_EQ(result.body, R"({"id":"1"})");
    EXPECT_EQ(result.location, "/v1/x/1");
    EXPECT_EQ(result.etag, "1");
    EXPECT_EQ(result.positions, positions);
    const auto found = store->find_result(*append.idempotency).value();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(std::get<AlreadyDone>(*found).result.body, R"({"id":"1"})");
    EXPECT_EQ(std::get<AlreadyDone>(*found).result.positions, positions);

    again.idempotency->body_hash = "other";
    EXPECT_TRUE(std::holds_alternative<KeyReused>(store->append(again).value()));
    EXPECT_TRUE(std::holds_alternative<KeyReused>(*store->find_result(*again.idempotency).value()));
  }
  EXPECT_EQ(this->version_of("s-1"), 2U);
}

TYPED_TEST_P(EventStoreSuite, AKeyWithoutEventsIsRemembered) {
  expect_appended(this->store().append(this->append_of("s-1", 0, {"A"})));
  Append nothing = this->append_of("s-1", 1, {"B"});
  nothing.streams.clear();
  nothing.assertions = {{core::StreamId("s-1"), core::StreamVersion(0)}};
  nothing.idempotency = IdempotencyKey{"me", "POST /v1/x", "k1", "hash"};
  nothing.result = {204, "", "", "1", {}};
  nothing.result.positions.raise("feed", core::LogIndex(2), core::LogPosition(7));
  expect_conflict(this->store().append(nothing), "s-1", 1);
  EXPECT_FALSE(this->store().find_result(*nothing.idempotency).value().has_value());

  nothing.assertions[0].expected = core::StreamVersion(1);
  EXPECT_TRUE(expect_appended(this->store().append(nothing)).positions.empty());
  EXPECT_EQ(this->events_in_all_logs(), 1U) << "it takes no position";
  expect_appended(this->store().append(this->append_of("s-1", 1, {"B"})));
  for (EventStore* store : {&this->backend_.store(0), &this->backend_.store(1)}) {
    Append late = this->append_of("s-1", 2, {"C"});
    late.idempotency = nothing.idempotency;
    late.result.status = 201;
    const StoredResult result = expect_already_done(store->append(late));
    EXPECT_EQ(result.status, 204);
    EXPECT_EQ(result.positions, nothing.result.positions) << "where the streams stood";
    ASSERT_TRUE(store->find_result(*nothing.idempotency).value().has_value());
  }
  EXPECT_EQ(this->version_of("s-1"), 2U);
}

TYPED_TEST_P(EventStoreSuite, KeysOfOthersAndOfOtherRoutesAreOtherKeys) {
  const std::vector<IdempotencyKey> keys = {{"me", "POST /v1/x", "k", "h"},
                                            {"you", "POST /v1/x", "k", "h"},
                                            {"me", "POST /v1/y", "k", "h"},
                                            {"me", "POST /v1/x", "l", "h"}};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Append append = this->append_of("s-" + std::to_string(i), 0, {"A"});
    append.idempotency = keys[i];
    expect_appended(this->store().append(append));
  }
}

TYPED_TEST_P(EventStoreSuite, AConflictStoresNoResult) {
  expect_appended(this->store().append(this->append_of("s-1", 0, {"A"})));
  Append append = this->append_of("s-1", 0, {"B"});
  append.idempotency = IdempotencyKey{"me", "POST /v1/x", "k1", "hash"};
  expect_conflict(this->store().append(append), "s-1", 1);
  EXPECT_FALSE(this->store().find_result(*append.idempotency).value().has_value());
  append.streams[0].expected = core::StreamVersion(1);
  expect_appended(this->store().append(append));
}

TYPED_TEST_P(EventStoreSuite, AKeyIsNewAgainAfterSevenDays) {
  Append append = this->append_of("s-1", 0, {"A"});
  append.idempotency = IdempotencyKey{"me", "POST /v1/x", "k1", "hash"};
  append.result.body = "first";
  expect_appended(this->store().append(append));
  this->backend_.clock().advance(std::chrono::hours(7 * 24) - std::chrono::seconds(1));
  append.time = this->backend_.clock().now();
  EXPECT_EQ(expect_already_done(this->store().append(append)).body, "first");

  this->backend_.clock().advance(std::chrono::seconds(1));
  EXPECT_FALSE(this->store().find_result(*append.idempotency).value().has_value());
  append.time = this->backend_.clock().now();
  append.streams[0].expected = core::StreamVersion(1);
  append.result.body = "second";
  append.idempotency->body_hash = "other";
  expect_appended(this->store().append(append));
  EXPECT_EQ(expect_already_done(this->store().append(append)).body, "second");
}

TYPED_TEST_P(EventStoreSuite, WhatIsNoAppendIsRefused) {
  const auto refused = [&](const Append& append) {
    const auto outcome = this->store().append(append);
    return !outcome.ok() && outcome.error().code == core::ErrorCode::InvalidInput;
  };
  EXPECT_TRUE(refused(Append{}));
  EXPECT_TRUE(refused(this->append_of("s-1", 0, {})));
  EXPECT_TRUE(refused(this->append_of("", 0, {"A"})));
  EXPECT_TRUE(refused(this->append_of("s-1", 0, {""})));
  EXPECT_EQ(this->events_in_all_logs(), 0U);
}

TYPED_TEST_P(EventStoreSuite, ReadsRangesOfManyLogsEachInItsOrder) {
  constexpr std::size_t kStreams = 40;
  for (std::size_t i = 0; i < kStreams; ++i) {
    const std::string stream = "s-" + std::to_string(i);
    expect_appended(this->store().append(this->append_of(stream, 0, {"A", "B"})));
  }
  EventLog& log = this->backend_.log(0);
  std::vector<LogRange> ranges;
  std::map<core::LogIndex, std::vector<std::string>> wanted;
  for (std::uint32_t index = 0; index < this->kLogs; ++index) {
    const LogRange range{core::LogIndex(index), core::LogPosition(index % 3), 2 + index % 4};
    ranges.push_back(range);
    const auto alone = log.read_log(range.log, range.after, range.limit).value();
    for (const RecordedEvent& event : alone) wanted[range.log].push_back(event.id);
  }
  ASSERT_GT(wanted.size(), 1U);
  std::map<core::LogIndex, std::vector<std::string>> seen;
  const auto read = log.read_ranges(ranges, [&](const RecordedEvent& event) {
    seen[event.log].push_back(event.id);
    return true;
  });
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(seen, wanted);

  std::size_t shown = 0;
  ASSERT_TRUE(log.read_ranges(ranges, [&](const RecordedEvent&) { return ++shown < 3; }).ok());
  EXPECT_EQ(shown, 3U) << "nothing is shown to who wants no more";
  ASSERT_TRUE(log.read_ranges({}, [&](const RecordedEvent&) { return ++shown > 0; }).ok());
  EXPECT_EQ(shown, 3U) << "no range, no event";
}

TYPED_TEST_P(EventStoreSuite, AnAppendWakesWhoWaitsForIt) {
  EventLog& log = this->backend_.log(1);
  const auto begin = std::chrono::steady_clock::now();
  std::thread waiting([&] {
    // An early return is allowed: what counts is that the event is seen long before the timeout.
    while (log.head(core::log_of("s-1", this->kLogs)).value() == core::LogPosition(0)) {
      log.wait_for_append(std::chrono::seconds(30));
    }
  });
  expect_appended(this->store().append(this->append_of("s-1", 0, {"A"})));
  waiting.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TYPED_TEST_P(EventStoreSuite, TellsEachOutcomeOnceToWhoDoesNotWait) {
  constexpr int kAppends = 200;
  std::vector<std::atomic<int>> told(kAppends);
  std::atomic<int> appended{0};
  std::atomic<int> refused{0};
  std::latch all(kAppends);
  for (int i = 0; i < kAppends; ++i) {
    // Each stream twice, both times as a new one; every tenth append is none at all.
    Append append = this->append_of("s-" + std::to_string(i / 2), 0, {"A"});
    if (i % 10 == 9) append.streams.clear();
    this->store().append_then(std::move(append), [&, i](core::Result<AppendOutcome> outcome) {
      ++told[static_cast<std::size_t>(i)];
      if (!outcome.ok()) ++refused;
      if (outcome.ok() && std::holds_alternative<Appended>(*outcome)) ++appended;
      all.count_down();
    });
  }
  all.wait();
  for (const auto& times : told) EXPECT_EQ(times, 1);
  EXPECT_EQ(refused, kAppends / 10);
  EXPECT_EQ(appended, kAppends / 2);
}

TYPED_TEST_P(EventStoreSuite, WhoIsToldMayAppendAgain) {
  std::promise<core::Result<AppendOutcome>> told;
  EventStore& store = this->store();
  store.append_then(this->append_of("s-1", 0, {"A"}), [&](core::Result<AppendOutcome> first) {
    expect_appended(first);
    store.append_then(this->append_of("s-1", 1, {"B"}), [&](core::Result<AppendOutcome> second) {
      told.set_value(std::move(second));
    });
  });
  expect_appended(told.get_future().get());
  EXPECT_EQ(store.read_last(core::StreamId("s-1")).value()->type, "B");
}

REGISTER_TYPED_TEST_SUITE_P(EventStoreSuite, TellsEachOutcomeOnceToWhoDoesNotWait,
                            WhoIsToldMayAppendAgain, CountsVersionsAndPositionsFromOneWithoutGaps,
                            KeepsEverythingOfAnEvent, ReadsAPartOfAStreamAndItsLastEvent,
                            ReadsWhatACompactionKeeps, AnotherVersionThanExpectedIsAConflict,
                            WritesSeveralStreamsAllOrNothing, AStreamNamedTwiceGoesOnFromItself,
                            AssertedStreamsMustStandWhereTheyWereSeen, AKeyGivesItsFirstResultAgain,
                            AKeyWithoutEventsIsRemembered, KeysOfOthersAndOfOtherRoutesAreOtherKeys,
                            AConflictStoresNoResult, AKeyIsNewAgainAfterSevenDays,
                            WhatIsNoAppendIsRefused, ReadsRangesOfManyLogsEachInItsOrder,
                            AnAppendWakesWhoWaitsForIt);

}  // namespace tideline::eventsourcing::testing
