#include "accounts/api/role_change.hpp"

#include <set>
#include <utility>

#include "accounts/domain/account.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

core::Status change_role(es::EventStore& store, core::Timestamp now, const core::AccountId& account,
                         AccountRole role, RoleChange change) {
  es::CommandContext context{now, {}, std::nullopt, std::nullopt};
  context.metadata.correlation_id = "roles";
  const auto outcome =
      es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
        const es::EventCodec<Account> codec;
        const auto loaded = session.load<Account>(keys::account(account), codec);
        std::set<AccountRole> roles = loaded.state.roles;
        if (change == RoleChange::Give) {
          roles.insert(role);
        } else {
          roles.erase(role);
        }
        es::change<Account>(session, loaded, codec, ChangeRoles{std::move(roles)});
        return es::Answer{204, "", "", {}};
      });
  if (!outcome) return outcome.error();
  if (const auto* no = std::get_if<es::Rejection>(&*outcome))
    return core::Error{core::ErrorCode::NotFound, no->detail};
  if (!std::holds_alternative<es::CommandDone>(*outcome))
    return core::unavailable("others change the account all the time, try again");
  return core::success();
}

}  // namespace tideline::accounts
