// A person's account: one stream for each user_id, for ever. That stream at version 0 is what makes
// a user_id unique, and a closed account keeps it taken.
//
// Passwords are checked at the edge, which has the hash out of the folded state; the decider is
// told how the check came out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "accounts/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

// Commands

// Mails to it reach the person, as the edge has found by a code. `address` is its keyed hash.
struct VerifyEmail {
  core::AccountId address;
  std::string email;
};
struct RegisterAccount {
  core::AccountId account;
  Profile profile;
  std::string password_hash;
  core::Timestamp at;
  std::optional<VerifyEmail> verified{};
};
// What is nullopt stays as it is.
struct ChangeProfile {
  std::optional<std::string> real_name;
  std::optional<std::string> email;
  std::optional<Sex> sex;
  std::optional<std::string> department;
  std::optional<std::string> bio{};
  std::optional<bool> shows_visits{};
};
// nullopt: none any more. The upload is there.
struct ChangeAvatar {
  std::optional<std::string> hash;
};
struct ChangePassword {
  bool current_matches = false;
  std::string new_hash;
};
// By a code that went to the verified address.
struct ResetPassword {
  std::string new_hash;
};
// By somebody with access to the server. `user_id` is for a profile that cannot be read any more.
struct LetInAgain {
  std::string user_id;
  std::string new_hash;
};
// `code_matches`: of an app that has the secret.
struct SetSecondFactor {
  bool password_matches = false;
  bool code_matches = false;
  std::string secret;
};
// Takes the roles, too, and ends all sessions.
struct RemoveSecondFactor {
  bool password_matches = false;
};
// For who has lost the app: not for the person alone, but for somebody with access to the server.
struct ForgetSecondFactor {};
// `roles` are all that the account has afterwards. Whoever loses one must sign in anew everywhere:
// the tokens that say so end at once.
struct ChangeRoles {
  std::set<AccountRole> roles;
};
// By somebody with access to the server; again for another time or reason. Ends all sessions.
struct SuspendAccount {
  core::Timestamp until;
  std::string reason;
};
struct LiftSuspension {};
struct CloseAccount {
  bool password_matches = false;
  core::Timestamp at;
};

struct Account {
  // Passwords set before they were numbered are counted: each of them matters until a numbered one.
  static bool supersedes(const eventsourcing::RecordedEvent& newer,
                         const eventsourcing::RecordedEvent& older);
  static constexpr eventsourcing::CompactionRule kCompaction{1, supersedes};

  using Event = std::variant<AccountRegistered, PasswordSet, PasswordChanged, ProfileChanged,
                             EmailVerified, SecondFactorSet, SecondFactorRemoved, RolesChanged,
                             AccountSuspended, SuspensionLifted, AccountClosed>;

  struct State {
    core::AccountId account;
    bool registered = false;
    bool closed = false;
    Profile profile;
    core::Timestamp registered_at;
    std::string password_hash;
    // How often a password was set: a session counts no more once this has moved on.
    std::uint32_t password_version = 0;
    std::set<AccountRole> roles;
    std::optional<VerifyEmail> verified;  // the address shown last
    // The secret of the authenticator app; "" where it was read without a cipher.
    std::optional<std::string> second_factor;
    // Also one that is over; its reason "" where it was read without a cipher.
    std::optional<SuspendAccount> suspension;

    bool is_suspended(core::Timestamp at) const { return suspension && at < suspension->until; }
    bool open() const { return registered && !closed; }
  };
  static State evolve(State state, const Event& event);
  // What an event that was lost has replaced is no longer good.
  static void lost(State& state, std::string_view type);

  using Command =
      std::variant<RegisterAccount, ChangeProfile, ChangeAvatar, ChangePassword, VerifyEmail,
                   ResetPassword, LetInAgain, SetSecondFactor, RemoveSecondFactor,
                   ForgetSecondFactor, ChangeRoles, SuspendAccount, LiftSuspension, CloseAccount>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::accounts
