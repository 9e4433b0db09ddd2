#include "accounts/domain/account.hpp"

#include <algorithm>
#include <utility>

#include "accounts/domain/rejections.hpp"

namespace tideline::accounts {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;
using Events = std::vector<Account::Event>;

constexpr std::uint32_t kNotNumbered = 0;  // PasswordSet of version 1

Profile changed_profile(Profile profile, const ChangeProfile& change) {
  if (change.real_name) profile.real_name = *change.real_name;
  if (change.email) profile.email = *change.email;
  if (change.sex) profile.sex = *change.sex;
  if (change.department) profile.department = *change.department;
  if (change.bio) profile.bio = *change.bio;
  if (change.shows_visits) profile.shows_visits = *change.shows_visits;
  return profile;
}

Decision<Account::Event> with_profile(const Account::State& state, Profile profile) {
  if (!state.open()) return kNoSuchAccount;
  if (profile == state.profile) return Decision<Account::Event>::nothing();
  return Decision<Account::Event>::of(ProfileChanged{state.account, std::move(profile)});
}

// Sets the password, or the same again to end all sessions and their tokens.
Events with_password(const Account::State& state, std::string hash) {
  // PasswordChanged has no first: where the first one was lost, this is the second.
  const std::uint32_t number = std::max<std::uint32_t>(state.password_version, 1) + 1;
  return {PasswordSet{std::move(hash), number}, PasswordChanged{state.account, number}};
}

// Sessions that were opened without it end.
Decision<Account::Event> set_second_factor(const Account::State& state,
                                           const SetSecondFactor& wanted) {
  if (!state.open()) return kNoSuchAccount;
  if (!wanted.password_matches) return kWrongPassword;
  if (state.second_factor) return kSecondFactorThere;
  if (!wanted.code_matches) return kSecondFactorRefused;
  Events events = with_password(state, state.password_hash);
  events.emplace_back(SecondFactorSet{state.account, wanted.secret});
  return events;
}

// Sessions that were opened with it end, for the app may be a thief's now; and roles, for the
// password alone would be worth them.
Decision<Account::Event> remove_second_factor(const Account::State& state) {
  if (!state.second_factor) return kNoSecondFactor;
  Events events = with_password(state, state.password_hash);
  events.emplace_back(SecondFactorRemoved{state.account});
  if (!state.roles.empty()) events.emplace_back(RolesChanged{state.account, {}});
  return events;
}

Events register_account(const RegisterAccount& wanted) {
  Events events{AccountRegistered{wanted.account, wanted.profile, wanted.at},
                PasswordSet{wanted.password_hash, 1}};
  if (const auto& shown = wanted.verified) {
    events.emplace_back(EmailVerified{wanted.account, shown->address, shown->email});
  }
  return events;
}

Events change_roles(const Account::State& state, const std::set<AccountRole>& roles) {
  if (roles == state.roles) return {};
  Events events;
  if (!std::ranges::includes(roles, state.roles))
    events = with_password(state, state.password_hash);
  events.emplace_back(RolesChanged{state.account, {roles.begin(), roles.end()}});
  return events;
}

Events suspend(const Account::State& state, const SuspendAccount& wanted) {
  Events events = with_password(state, state.password_hash);
  events.emplace_back(AccountSuspended{state.account, wanted.until, wanted.reason});
  return events;
}

}  // namespace

bool Account::supersedes(const RecordedEvent& newer, const RecordedEvent& older) {
  constexpr core::SchemaVersion kNumberedSince{2};
  if (newer.type != older.type) return false;
  return newer.type != "PasswordSet" || newer.schema_version >= kNumberedSince;
}

Account::State Account::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const AccountRegistered& fact) {
                   state.account = fact.account;
                   state.registered = true;
                   state.profile = fact.profile;
                   state.registered_at = fact.registered_at;
                 },
                 [&](const PasswordSet& fact) {
                   state.password_hash = fact.hash;
                   state.password_version =
                       fact.number == kNotNumbered ? state.password_version + 1 : fact.number;
                 },
                 [&](const PasswordChanged& fact) {
                   if (fact.number <= state.password_version) return;
                   // Its PasswordSet was lost with the database.
                   state.password_hash.clear();
                   state.password_version = fact.number;
                 },
                 [&](const ProfileChanged& fact) { state.profile = fact.profile; },
                 [&](const EmailVerified& fact) {
                   state.verified = VerifyEmail{fact.address, fact.email};
                 },
                 [&](const SecondFactorSet& fact) { state.second_factor = fact.secret; },
                 [&](const SecondFactorRemoved&) { state.second_factor.reset(); },
                 [&](const RolesChanged& fact) {
                   state.roles = {fact.roles.begin(), fact.roles.end()};
                 },
                 [&](const AccountSuspended& fact) {
                   state.suspension = SuspendAccount{fact.until, fact.reason};
                 },
                 [&](const SuspensionLifted&) { state.suspension.reset(); },
                 [&](const AccountClosed&) { state.closed = true; },
             },
             event);
  return state;
}

void Account::lost(State& state, std::string_view type) {
  if (type == "PasswordSet") state.password_hash.clear();
  if (type == "EmailVerified") state.verified.reset();
  if (type == "SecondFactorSet" || type == "SecondFactorRemoved") state.second_factor.reset();
}

Decision<Account::Event> Account::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const RegisterAccount& wanted) -> Decision<Event> {
            if (state.registered) return kUserIdTaken;
            return register_account(wanted);
          },
          [&](const ChangeProfile& wanted) {
            return with_profile(state, changed_profile(state.profile, wanted));
          },
          [&](const ChangeAvatar& wanted) {
            Profile profile = state.profile;
            profile.avatar = wanted.hash;
            return with_profile(state, std::move(profile));
          },
          [&](const ChangePassword& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            if (!wanted.current_matches) return kWrongPassword;
            return with_password(state, wanted.new_hash);
          },
          [&](const VerifyEmail& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            if (state.verified && state.verified->address == wanted.address) {
              return Decision<Event>::nothing();
            }
            return Decision<Event>::of(EmailVerified{state.account, wanted.address, wanted.email});
          },
          [&](const ResetPassword& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            return with_password(state, wanted.new_hash);
          },
          [&](const LetInAgain& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            Events events = with_password(state, wanted.new_hash);
            if (!state.profile.user_id.empty()) return events;
            Profile profile;
            profile.user_id = wanted.user_id;
            events.emplace_back(ProfileChanged{state.account, std::move(profile)});
            return events;
          },
          [&](const SetSecondFactor& wanted) { return set_second_factor(state, wanted); },
          [&](const RemoveSecondFactor& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            if (!wanted.password_matches) return kWrongPassword;
            return remove_second_factor(state);
          },
          [&](const ForgetSecondFactor&) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            return remove_second_factor(state);
          },
          [&](const ChangeRoles& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            return change_roles(state, wanted.roles);
          },
          [&](const SuspendAccount& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            return suspend(state, wanted);
          },
          [&](const LiftSuspension&) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            if (!state.suspension) return Decision<Event>::nothing();
            return Decision<Event>::of(SuspensionLifted{state.account});
          },
          [&](const CloseAccount& wanted) -> Decision<Event> {
            if (!state.open()) return kNoSuchAccount;
            if (!wanted.password_matches) return kWrongPassword;
            return Decision<Event>::of(AccountClosed{state.account, wanted.at});
          },
      },
      command);
}

}  // namespace tideline::accounts
