#include "accounts/api/enrol.hpp"

#include "accounts/domain/address.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

core::Status enrol(es::EventStore& store, core::Timestamp now, const core::AccountId& account,
                   const core::AccountId& address) {
  es::CommandContext context{now, {}, std::nullopt, std::nullopt};
  context.metadata.correlation_id = "import";
  const auto outcome =
      es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
        es::change_last<Enrolment>(session, keys::enrolment(account), es::EventCodec<Enrolment>{},
                                   Enrol{account, address});
        return es::Answer{204, "", "", {}};
      });
  if (!outcome) return outcome.error();
  if (!std::holds_alternative<es::CommandDone>(*outcome))
    return core::unavailable("others change it all the time, try again");
  return core::success();
}

}  // namespace tideline::accounts
