// The commands of this service run on the in-memory store, as the routes run them.
#pragma once

#include "core/random.hpp"
#include "crypto/subject_cipher.hpp"
#include "crypto/subject_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

namespace tideline::projects {

class Campus {
 public:
  static constexpr std::uint32_t kLogs = 4;

  // What the command was answered with; its events are in the store.
  template <eventsourcing::Decider D, class Codec>
  eventsourcing::CommandOutcome run(const core::StreamId& stream, const Codec& codec,
                                    const typename D::Command& command) {
    eventsourcing::CommandContext context;
    context.now = clock.now();
    auto outcome = eventsourcing::run_command(
        store, context,
        [&](eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
          eventsourcing::change<D>(session, stream, codec, command);
          return eventsourcing::Answer{200, "", "", stream};
        });
    CHECK(outcome.ok(), "the in-memory store does not fail");
    return *outcome;
  }

  std::vector<eventsourcing::RecordedEvent> events() {
    std::vector<eventsourcing::RecordedEvent> all;
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      const auto read = store.read_log(core::LogIndex(log), core::LogPosition(0), 100'000);
      all.insert(all.end(), read->begin(), read->end());
    }
    return all;
  }

  core::ManualClock clock{*core::parse_iso8601("2026-03-04T05:06:07.000008Z")};
  core::SeededRandom random{7};
  crypto::InMemorySubjectKeys keys;
  crypto::AccountIds account_ids{crypto::AccountIds::Secret{1, 2, 3}};
  crypto::SubjectCipher cipher{keys, clock, {.indexed_by = account_ids}};
  eventsourcing::InMemoryEventStore store{"projects", kLogs, clock, random};
};

}  // namespace tideline::projects
