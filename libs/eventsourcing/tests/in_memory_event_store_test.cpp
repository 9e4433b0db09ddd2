#include "eventsourcing/in_memory_event_store.hpp"

#include "eventsourcing/testing/event_store_races.hpp"
#include "eventsourcing/testing/event_store_suite.hpp"

namespace tideline::eventsourcing::testing {
namespace {

class InMemoryBackend {
 public:
  explicit InMemoryBackend(std::uint32_t logs) : store_("feed", logs, clock_, random_) {}

  EventStore& store(int) { return store_; }
  EventLog& log(int) { return store_; }
  core::ManualClock& clock() { return clock_; }

 private:
  core::ManualClock clock_{*core::parse_iso8601("2026-03-04T05:06:07.000008Z")};
  core::SeededRandom random_{1};
  InMemoryEventStore store_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(InMemory, EventStoreSuite, InMemoryBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(InMemory, EventStoreRaces, InMemoryBackend);

// The model of the races is worth something only if it tells wrong histories.
class SerialModel : public ::testing::Test {
 protected:
  Told told(const std::string& marker, const std::string& stream, std::uint64_t expected,
            std::uint64_t position) {
    Appended appended;
    appended.positions.raise("feed", core::LogIndex(0), core::LogPosition(position));
    return {marker, Appends({}).on(stream, expected, {marker}).take(), appended};
  }
  RecordedEvent event(const std::string& marker, const std::string& stream, std::uint64_t version,
                      std::uint64_t position) {
    RecordedEvent event;
    event.type = marker;
    event.stream = core::StreamId(stream);
    event.version = core::StreamVersion(version);
    event.position = core::LogPosition(position);
    return event;
  }
};

TEST_F(SerialModel, AcceptsARightHistory) {
  EXPECT_TRUE(is_serial({event("a", "s", 1, 1), event("b", "s", 2, 2)},
                        {told("b", "s", 1, 2), told("a", "s", 0, 1)}));
}

TEST_F(SerialModel, RejectsALostAppend) {
  EXPECT_FALSE(is_serial({event("a", "s", 1, 1)}, {told("a", "s", 0, 1), told("b", "s", 1, 2)}));
}

TEST_F(SerialModel, RejectsAnAppendThatWasToldToHaveConflicted) {
  Told conflicted = told("a", "s", 0, 1);
  conflicted.outcome = VersionConflict{core::StreamId("s"), core::StreamVersion(1)};
  EXPECT_FALSE(is_serial({event("a", "s", 1, 1)}, {conflicted}));
}

TEST_F(SerialModel, RejectsAVersionThatWasNotExpected) {
  EXPECT_FALSE(is_serial({event("a", "s", 1, 1), event("b", "s", 2, 2)},
                         {told("a", "s", 0, 1), told("b", "s", 0, 2)}));
}

TEST_F(SerialModel, RejectsABrokenAssertion) {
  Told asserting = told("b", "s", 1, 2);
  asserting.append.assertions = {{core::StreamId("t"), core::StreamVersion(1)}};
  EXPECT_FALSE(
      is_serial({event("a", "s", 1, 1), event("b", "s", 2, 2)}, {told("a", "s", 0, 1), asserting}));
}

TEST_F(SerialModel, RejectsAKeyThatWasDoneTwice) {
  Told first = told("a", "s", 0, 1);
  Told second = told("b", "s", 1, 2);
  first.append.idempotency = second.append.idempotency = IdempotencyKey{"", "", "k", ""};
  EXPECT_FALSE(is_serial({event("a", "s", 1, 1), event("b", "s", 2, 2)}, {first, second}));
}

}  // namespace
}  // namespace tideline::eventsourcing::testing
