#include "accounts/cli/account_operations.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/profile_seal.hpp"
#include "accounts/api/server_commands.hpp"
#include "accounts/projections/account_queries.hpp"
#include "crypto/password_hash.hpp"
#include "runtime/composition.hpp"

namespace tideline::accounts {
namespace {

struct Wanted {
  CLI::App* give = nullptr;
  CLI::App* take = nullptr;
  std::string role;
  std::vector<std::string> user_ids;
};

int failed(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

int list(runtime::RunningService& service) {
  ProfileSeal profiles(service.cipher());
  std::vector<RoleRow> rows;
  const auto read = service.database().transact(
      [&](sql::Transaction& transaction) { rows = find_roles(transaction); });
  if (!read) return failed(read.error().message);
  for (const RoleRow& row : rows) {
    const auto profile = profiles.open(row.account, row.sealed_profile);
    if (!profile) return failed(profile.error().message);
    // Of one whose profile was lost nothing else is known.
    const std::string name = *profile ? (*profile)->user_id : row.account.to_string();
    if (row.is_operator) std::printf("%s operator\n", name.c_str());
    if (row.is_moderator) std::printf("%s moderator\n", name.c_str());
  }
  return 0;
}

// Each by itself: one that is not there keeps no other from losing a role.
int change(runtime::RunningService& service, const Settings& settings, const Wanted& wanted) {
  const bool gives = wanted.give->parsed();
  const bool operators = wanted.role == "operator";
  const AccountRole role = operators ? AccountRole::Operator : AccountRole::Moderator;
  const char* article = operators ? "an" : "a";
  int code = 0;
  for (const std::string& user_id : wanted.user_ids) {
    const auto changed = change_role(
        service.store(), service.clock().now(), service.account_ids().of(user_id), role,
        gives ? RoleChange::Give : RoleChange::Take, settings.operators_need_second_factor);
    if (!changed) {
      code = failed(user_id + ": " + changed.error().message);
      continue;
    }
    if (gives) {
      std::printf("%s is %s %s from the next sign-in on\n", user_id.c_str(), article,
                  wanted.role.c_str());
    } else {
      std::printf("%s is no %s; the sessions of %s %s have ended\n", user_id.c_str(),
                  wanted.role.c_str(), article, wanted.role.c_str());
    }
  }
  return code;
}

int operate(runtime::RunningService& service, const Settings& settings, const Wanted& wanted) {
  const bool changes = wanted.give->parsed() || wanted.take->parsed();
  return changes ? change(service, settings, wanted) : list(service);
}

runtime::Operation::Run declare(CLI::App& command, const Settings& settings) {
  auto wanted = std::make_shared<Wanted>();
  command.require_subcommand(0, 1);
  wanted->give = command.add_subcommand("give", "give a role to an account");
  wanted->take =
      command.add_subcommand("take", "take a role from an account, and end its sessions");
  for (CLI::App* changing : {wanted->give, wanted->take}) {
    changing->add_option("ROLE", wanted->role)
        ->required()
        ->check(CLI::IsMember({"operator", "moderator"}));
    changing->add_option("USER_ID", wanted->user_ids)->required();
  }
  return [wanted, &settings](runtime::RunningService& service, std::stop_token) {
    return operate(service, settings, *wanted);
  };
}

int remove_second_factor(runtime::RunningService& service, const std::string& user_id) {
  const auto removed = forget_second_factor(service.store(), service.clock().now(),
                                            service.account_ids().of(user_id));
  if (!removed) return failed(user_id + ": " + removed.error().message);
  std::printf("%s signs in with the password alone\n", user_id.c_str());
  return 0;
}

int set_password(runtime::RunningService& service, const std::string& user_id) {
  std::string password;
  std::getline(std::cin, password);
  const auto good = check_new_password(password, {user_id});
  if (!good) return failed(good.error().message);
  crypto::PasswordHasher hasher;
  const auto hash = hasher.hash(password);
  if (!hash) return failed(hash.error().message);
  const auto set = let_in_again(service.store(), service.cipher(), service.clock().now(),
                                service.account_ids().of(user_id), user_id, *hash);
  if (!set) return failed(user_id + ": " + set.error().message);
  std::printf("%s signs in with that password, and has no other session\n", user_id.c_str());
  return 0;
}

struct WantedSuspension {
  CLI::App* begin = nullptr;
  int days = 0;
  std::string user_id;
};

int change_suspension(runtime::RunningService& service, const WantedSuspension& wanted) {
  const core::Timestamp now = service.clock().now();
  const core::AccountId account = service.account_ids().of(wanted.user_id);
  if (!wanted.begin->parsed()) {
    const auto lifted = lift_suspension(service.store(), now, account);
    if (!lifted) return failed(wanted.user_id + ": " + lifted.error().message);
    std::printf("%s is not suspended\n", wanted.user_id.c_str());
    return 0;
  }
  constexpr std::size_t kReasonMax = 1000;  // code points
  std::string reason;
  std::getline(std::cin, reason);
  if (reason.empty() || !http::is_valid_utf8(reason) ||
      http::count_code_points(reason) > kReasonMax) {
    return failed("the first line of the input says why, in at most 1000 characters");
  }
  const core::Timestamp until = now + std::chrono::hours(24) * wanted.days;
  const auto suspended = suspend(service.store(), service.cipher(), now, account, until, reason);
  if (!suspended) return failed(wanted.user_id + ": " + suspended.error().message);
  std::printf("%s is suspended until %s, and has no session\n", wanted.user_id.c_str(),
              core::format_iso8601(until).c_str());
  return 0;
}

runtime::Operation::Run declare_suspension(CLI::App& command) {
  auto wanted = std::make_shared<WantedSuspension>();
  command.require_subcommand(1);
  wanted->begin = command.add_subcommand("begin", "end all sessions, and let nobody sign in");
  wanted->begin->add_option("--days", wanted->days, "so long it lasts")
      ->required()
      ->check(CLI::Range(1, 3650));
  CLI::App* lift = command.add_subcommand("lift", "let the person sign in again");
  for (CLI::App* changing : {wanted->begin, lift}) {
    changing->add_option("USER_ID", wanted->user_id)->required();
  }
  return [wanted](runtime::RunningService& service, std::stop_token) {
    return change_suspension(service, *wanted);
  };
}

}  // namespace

runtime::Operation role_operation(const Settings& settings) {
  return {"roles", "list who has roles, give them and take them",
          [&settings](CLI::App& command) { return declare(command, settings); }};
}

runtime::Operation second_factor_operation() {
  return {"second-factor", "remove the second factor of an account that has lost it",
          [](CLI::App& command) -> runtime::Operation::Run {
            auto user_id = std::make_shared<std::string>();
            command.require_subcommand(1);
            command.add_subcommand("remove", "the password alone is asked for again")
                ->add_option("USER_ID", *user_id)
                ->required();
            return [user_id](runtime::RunningService& service, std::stop_token) {
              return remove_second_factor(service, *user_id);
            };
          }};
}

runtime::Operation suspension_operation() {
  return {"suspension", "suspend an account for some days, and lift it", declare_suspension};
}

runtime::Operation password_operation() {
  return {"password", "set the password of an account, read from standard input",
          [](CLI::App& command) -> runtime::Operation::Run {
            auto user_id = std::make_shared<std::string>();
            command.add_option("USER_ID", *user_id)->required();
            return [user_id](runtime::RunningService& service, std::stop_token) {
              return set_password(service, *user_id);
            };
          }};
}

}  // namespace tideline::accounts
