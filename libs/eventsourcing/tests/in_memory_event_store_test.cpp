#include "eventsourcing/store/in_memory_event_store.hpp"

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

}  // namespace
}  // namespace tideline::eventsourcing::testing
