// What an engine needs around it: the stream of the rules, in memory, and a runner's flush.
#pragma once

#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/stream_keys.hpp"

namespace tideline::scoring {

struct RulesInMemory {
  explicit RulesInMemory(const core::Clock& its_clock) : clock(its_clock) {}

  // As the route does, at the clock's time.
  void change(const core::CampusCalendar& campus, std::vector<Rule> rules) {
    const ChangeRules command{campus.day_of(clock.now()), std::move(rules),
                              Levels::standard().thresholds(),
                              core::AccountId(core::AccountId::Bytes{9})};
    eventsourcing::CommandContext context;
    context.now = clock.now();
    const auto done = eventsourcing::run_command(
        store, context,
        [&](eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
          eventsourcing::change<RuleChanges>(session, keys::rules(),
                                             eventsourcing::EventCodec<RuleChanges>{}, command);
          return eventsourcing::Answer{};
        });
    CHECK(done.ok() && std::holds_alternative<eventsourcing::CommandDone>(*done),
          "rules that are in order are taken");
  }
  // The stream behind `after`.
  std::vector<eventsourcing::RecordedEvent> events(
      core::StreamVersion after = core::StreamVersion(0)) {
    return store.read_stream(keys::rules(), after, 100'000).value();
  }

  const core::Clock& clock;
  core::SeededRandom random{1};
  eventsourcing::InMemoryEventStore store{"scoring", 4, clock, random};
  StoredRules kept{store, clock};
};

// False: the runner would go back to the tables.
inline bool try_to_flush(ScoreEngine& engine, sql::Transaction& tables) {
  if (engine.prepare_flush().state != eventsourcing::Preparation::State::Done) return false;
  engine.flush(tables);
  engine.flushed();
  return true;
}

inline void flush(ScoreEngine& engine, sql::Transaction& tables) {
  CHECK(try_to_flush(engine, tables), "the rules have not changed meanwhile");
}

}  // namespace tideline::scoring
