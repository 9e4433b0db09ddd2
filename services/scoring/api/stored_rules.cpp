#include "scoring/api/stored_rules.hpp"

#include <variant>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/stream_keys.hpp"

namespace tideline::scoring {

namespace es = eventsourcing;

core::Result<RuleChanges::State> StoredRules::read() {
  const es::CommandContext context;
  es::CommandSession session(store_, context);
  try {
    return session.load<RuleChanges>(keys::rules(), eventsourcing::EventCodec<RuleChanges>{}).state;
  } catch (const core::Failed& failed) {
    return failed.error();
  }
}

core::Result<RuleChanges::State> StoredRules::settle(const std::vector<CountedDay>& days) {
  es::CommandContext context;
  context.now = clock_.now();
  RuleChanges::State settled;
  const auto outcome =
      es::run_command(store_, context, [&](es::CommandSession& session) -> es::CommandResult {
        const auto changed = es::change<RuleChanges>(
            session, keys::rules(), eventsourcing::EventCodec<RuleChanges>{}, SettleDays{days});
        settled = changed.state;
        return es::Answer{};
      });
  if (!outcome) return outcome.error();
  if (const auto* rejection = std::get_if<es::Rejection>(&*outcome)) {
    return core::Error{core::ErrorCode::Conflict, rejection->detail, true};
  }
  if (std::holds_alternative<es::CommandDone>(*outcome)) return settled;
  return core::unavailable("too many others write the rules");
}

}  // namespace tideline::scoring
