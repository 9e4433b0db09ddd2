// What is read from the tables of this service. Runs in the caller's transaction; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::accounts {

struct AccountRow {
  std::string sealed_profile;
  core::Timestamp registered_at;
  core::StreamVersion version;
};

// nullopt: nobody registered it, or it is closed.
std::optional<AccountRow> find_open_account(sql::Transaction& transaction,
                                            const core::AccountId& account);

// The avatars that are in use, for the sweep of uploads: (owner, hash). The directory of people may
// be behind: whatever those have uploaded whose account has changed since is in use, too.
extern const char* const kReferencedUploadsSql;

// Open accounts with a role.
struct RoleRow {
  core::AccountId account;
  std::string sealed_profile;
  bool is_operator = false;
  bool is_moderator = false;
};
std::vector<RoleRow> find_roles(sql::Transaction& transaction);

struct ProjectList {
  std::vector<std::string> newest;  // ids, newest first
  std::int64_t count = 0;           // of all
};

ProjectList find_projects(sql::Transaction& transaction, const core::AccountId& author, int limit);

}  // namespace tideline::accounts
