#include "accounts/api/server_commands.hpp"

#include <functional>
#include <set>

#include "accounts/domain/account.hpp"
#include "accounts/domain/address.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::accounts {

namespace es = eventsourcing;

namespace {

// `correlation` names the subcommand in the events.
core::Status run(es::EventStore& store, core::Timestamp now, const char* correlation,
                 const std::function<void(es::CommandSession&)>& stage) {
  es::CommandContext context{now, {}, std::nullopt, std::nullopt};
  context.metadata.correlation_id = correlation;
  const auto outcome =
      es::run_command(store, context, [&](es::CommandSession& session) -> es::CommandResult {
        stage(session);
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

std::set<AccountRole> changed_roles(const Account::State& state, AccountRole role,
                                    RoleChange change, bool needs_second_factor) {
  std::set<AccountRole> roles = state.roles;
  if (change == RoleChange::Take) {
    roles.erase(role);
    return roles;
  }
  if (needs_second_factor && state.open() && !state.second_factor) {
    throw es::Rejected(kSecondFactorNeeded);
  }
  roles.insert(role);
  return roles;
}

}  // namespace

core::Status change_role(es::EventStore& store, core::Timestamp now, const core::AccountId& account,
                         AccountRole role, RoleChange change, bool needs_second_factor) {
  return run(store, now, "roles", [&](es::CommandSession& session) {
    const es::EventCodec<Account> codec;
    const auto loaded = session.load<Account>(keys::account(account), codec);
    es::change<Account>(
        session, loaded, codec,
        ChangeRoles{changed_roles(loaded.state, role, change, needs_second_factor)});
  });
}

core::Status forget_second_factor(es::EventStore& store, core::Timestamp now,
                                  const core::AccountId& account) {
  return run(store, now, "second-factor", [&](es::CommandSession& session) {
    es::change<Account>(session, keys::account(account), es::EventCodec<Account>(),
                        ForgetSecondFactor{});
  });
}

core::Status let_in_again(es::EventStore& store, es::TextSealer& sealer, core::Timestamp now,
                          const core::AccountId& account, const std::string& user_id,
                          const std::string& password_hash) {
  return run(store, now, "password", [&](es::CommandSession& session) {
    es::change<Account>(session, keys::account(account), es::EventCodec<Account>(sealer),
                        LetInAgain{user_id, password_hash});
  });
}

core::Status suspend(es::EventStore& store, es::TextSealer& sealer, core::Timestamp now,
                     const core::AccountId& account, core::Timestamp until,
                     const std::string& reason) {
  return run(store, now, "suspension", [&](es::CommandSession& session) {
    es::change<Account>(session, keys::account(account), es::EventCodec<Account>(sealer),
                        SuspendAccount{until, reason});
  });
}

core::Status lift_suspension(es::EventStore& store, core::Timestamp now,
                             const core::AccountId& account) {
  return run(store, now, "suspension", [&](es::CommandSession& session) {
    es::change<Account>(session, keys::account(account), es::EventCodec<Account>(),
                        LiftSuspension{});
  });
}

core::Status enrol(es::EventStore& store, core::Timestamp now, const core::AccountId& account,
                   const core::AccountId& address) {
  return run(store, now, "import", [&](es::CommandSession& session) {
    es::change_last<Enrolment>(session, keys::enrolment(account), es::EventCodec<Enrolment>(),
                               Enrol{account, address});
  });
}

}  // namespace tideline::accounts
