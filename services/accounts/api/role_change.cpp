#include "accounts/api/role_change.hpp"

#include <set>
#include <utility>

#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

namespace {

// `wanted` gives the command for the account as it is.
template <class Wanted>
core::Status change_account(es::EventStore& store, core::Timestamp now,
                            const core::AccountId& account, const char* correlation,
                            const Wanted& wanted) {
  es::CommandContext context{now, {}, std::nullopt, std::nullopt};
  context.metadata.correlation_id = correlation;
  const auto outcome =
      es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
        const es::EventCodec<Account> codec;
        const auto loaded = session.load<Account>(keys::account(account), codec);
        es::change<Account>(session, loaded, codec, wanted(loaded.state));
        return es::Answer{204, "", "", {}};
      });
  if (!outcome) return outcome.error();
  if (const auto* no = std::get_if<es::Rejection>(&*outcome)) {
    const bool none = no->kind == es::RejectionKind::NotFound;
    return core::Error{none ? core::ErrorCode::NotFound : core::ErrorCode::InvalidInput,
                       no->detail};
  }
  if (!std::holds_alternative<es::CommandDone>(*outcome)) {
    return core::unavailable("others change the account all the time, try again");
  }
  return core::success();
}

}  // namespace

core::Status change_role(es::EventStore& store, core::Timestamp now, const core::AccountId& account,
                         AccountRole role, RoleChange change, bool needs_second_factor) {
  return change_account(store, now, account, "roles",
                        [&](const Account::State& state) -> Account::Command {
                          std::set<AccountRole> roles = state.roles;
                          if (change == RoleChange::Take) {
                            roles.erase(role);
                          } else if (needs_second_factor && state.open() && !state.second_factor) {
                            throw es::Rejected(kSecondFactorNeeded);
                          } else {
                            roles.insert(role);
                          }
                          return ChangeRoles{std::move(roles)};
                        });
}

core::Status forget_second_factor(es::EventStore& store, core::Timestamp now,
                                  const core::AccountId& account) {
  return change_account(
      store, now, account, "second-factor",
      [](const Account::State&) -> Account::Command { return ForgetSecondFactor{}; });
}

}  // namespace tideline::accounts
