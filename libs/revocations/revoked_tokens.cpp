#include "revocations/revoked_tokens.hpp"

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>

namespace tideline::revocations {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLoadEvery{1};
// A row is seen when its transaction has committed, which is some time after it was written.
constexpr std::string_view kRecentlyRecorded = "recorded_at > now() - interval '10 seconds'";

}  // namespace

bool RevokedTokens::contains(const core::AccountId& account, std::string_view session_id,
                             std::uint32_t password_version) const {
  const std::shared_lock lock(mutex_);
  const auto found = rules_.find(account);
  if (found == rules_.end()) return false;
  return std::ranges::any_of(found->second, [&](const Rule& rule) {
    return password_version < rule.below_version &&
           (rule.session_id.empty() || rule.session_id == session_id);
  });
}

void RevokedTokens::add(std::span<const Revocation> revocations) {
  const core::Timestamp oldest = clock_.now() - kKept;
  const std::unique_lock lock(mutex_);
  for (const Revocation& revocation : revocations) {
    if (revocation.revoked_at < oldest) continue;
    std::vector<Rule>& known = rules_[revocation.account];
    const auto same = std::ranges::find(known, revocation.session_id, &Rule::session_id);
    if (same == known.end()) {
      known.push_back({revocation.session_id, revocation.below_version, revocation.revoked_at});
    } else {
      same->below_version = std::max(same->below_version, revocation.below_version);
      same->revoked_at = std::max(same->revoked_at, revocation.revoked_at);
    }
  }
}

void RevokedTokens::forget_expired() {
  const core::Timestamp oldest = clock_.now() - kKept;
  const std::unique_lock lock(mutex_);
  for (auto entry = rules_.begin(); entry != rules_.end();) {
    std::erase_if(entry->second, [&](const Rule& rule) { return rule.revoked_at < oldest; });
    entry = entry->second.empty() ? rules_.erase(entry) : std::next(entry);
  }
}

core::Result<std::vector<Revocation>> RevokedTokens::read(std::string_view condition) const {
  std::string sql =
      "SELECT account_id, session_id, below_version,"
      " (extract(epoch FROM revoked_at) * 1000000)::bigint FROM revocation WHERE ";
  sql.append(condition);
  std::vector<Revocation> found;
  const auto done = database_.each_alone([&](sql::Transaction& transaction) {
    for (const sql::Row& row : transaction.execute(sql)) {
      found.push_back({row.account(0), row.text(1), row.integer(2), row.timestamp_us(3)});
    }
  });
  if (!done) return done.error();
  return found;
}

core::Status RevokedTokens::load() {
  const auto all = read("true");
  if (!all) return all.error();
  add(*all);
  forget_expired();
  return core::success();
}

void RevokedTokens::run(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopping;
  SteadyClock::time_point loaded_at{};
  while (!stop.stop_requested()) {
    if (SteadyClock::now() - loaded_at >= kLoadEvery) {
      if (load()) loaded_at = SteadyClock::now();
    } else if (const auto recent = read(kRecentlyRecorded)) {
      add(*recent);
    } else {
      loaded_at = {};
    }
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, kReadEvery, [] { return false; });
  }
}

std::size_t RevokedTokens::size() const {
  const std::shared_lock lock(mutex_);
  return rules_.size();
}

}  // namespace tideline::revocations
