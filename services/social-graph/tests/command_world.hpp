// A store in memory with what commands need beside it, for laws that hold after any of them.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/commands/command.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"

namespace tideline::social_graph {

struct World {
  core::ManualClock clock{core::Timestamp(std::chrono::hours(24))};
  core::SeededRandom random{1};
  eventsourcing::InMemoryEventStore store{"social-graph", 4, clock, random};
  crypto::InMemorySubjectKeys subject_keys;
  crypto::SubjectCipher cipher{
      subject_keys, clock, {.indexed_by = crypto::AccountIds(crypto::AccountIds::Secret{})}};

  eventsourcing::CommandOutcome run(const eventsourcing::CommandBody& body) {
    return run_in(store, body);
  }
  // In a store that passes everything on to that one.
  eventsourcing::CommandOutcome run_in(eventsourcing::EventStore& through,
                                       const eventsourcing::CommandBody& body) {
    eventsourcing::CommandContext context;
    context.now = clock.now();
    auto outcome = eventsourcing::run_command(through, context, body);
    CHECK(outcome.ok(), "the store in memory does not fail");
    return std::move(*outcome);
  }

  std::uint64_t events() {
    std::uint64_t all = 0;
    for (std::uint32_t log = 0; log < store.logs(); ++log) {
      all += store.head(core::LogIndex(log))->value();
    }
    return all;
  }

  template <class D, class C>
  typename D::State state_of(const core::StreamId& stream, const C& codec) {
    eventsourcing::CommandContext context;
    eventsourcing::CommandSession session(store, context);
    return session.load<D>(stream, codec).state;
  }
};

inline bool accepted(const eventsourcing::CommandOutcome& outcome) {
  return std::holds_alternative<eventsourcing::CommandDone>(outcome);
}

}  // namespace tideline::social_graph
