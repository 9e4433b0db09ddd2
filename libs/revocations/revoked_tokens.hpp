// Access tokens that were revoked before they expire: those of closed accounts, of ended sessions,
// and of sessions under an earlier password. A set in memory, asked for every request with a token,
// over a table that all processes of a service share.
//
// A revocation is kept for as long as a token of before it may live. While the database does not
// answer, what is known stays known, and what is new comes late.
//
// Threads: all.
#pragma once

#include <chrono>
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "sql/transaction.hpp"

namespace tideline::revocations {

struct Revocation {
  static constexpr std::int64_t kAnyVersion = std::int64_t{1} << 32;

  core::AccountId account;
  std::string session_id;  // empty: every session of the account
  // Tokens of a lower password version are revoked.
  std::int64_t below_version = kAnyVersion;
  core::Timestamp revoked_at{};
};

class RevokedTokens {
 public:
  // No access token lives longer than a day; an hour more for clocks that differ.
  static constexpr std::chrono::hours kKept{25};
  static constexpr std::chrono::milliseconds kReadEvery{200};

  // The table `revocation` (kRevocationTableSql) is there. Both must outlive it.
  RevokedTokens(sql::Database& database, const core::Clock& clock)
      : database_(database), clock_(clock) {}

  bool contains(const core::AccountId& account, std::string_view session_id,
                std::uint32_t password_version) const;
  // Those that are too old to matter are passed over.
  void add(std::span<const Revocation> revocations);

  // Reads the whole table, and forgets what has become too old.
  core::Status load();
  // Reads what other processes have written a moment ago, again and again, and now and then all.
  void run(std::stop_token stop);

  // Accounts of which a token was revoked.
  std::size_t size() const;

 private:
  struct Rule {
    std::string session_id;
    std::int64_t below_version;
    core::Timestamp revoked_at;
  };
  using Rules = std::unordered_map<core::AccountId, std::vector<Rule>>;

  void forget_expired();
  core::Result<std::vector<Revocation>> read(std::string_view condition) const;

  sql::Database& database_;
  const core::Clock& clock_;
  mutable std::shared_mutex mutex_;
  Rules rules_;
};

// One row for each account and session. `recorded_at` is when it was written here.
inline constexpr const char* kRevocationTableSql = R"(
CREATE TABLE revocation (
  account_id uuid NOT NULL,
  session_id text NOT NULL,
  below_version bigint NOT NULL,
  revoked_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, session_id)
);
CREATE INDEX revocation_recorded ON revocation (recorded_at);
CREATE INDEX revocation_revoked ON revocation (revoked_at);
)";

}  // namespace tideline::revocations
