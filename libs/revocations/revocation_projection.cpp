#include "revocations/revocation_projection.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "revocations/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::revocations {

using eventsourcing::read_as;

void RevocationProjection::apply(const eventsourcing::RecordedEvent& event) {
  if (const auto closed = read_as<read::AccountClosed>(event)) {
    pending_.push_back({closed->account, "", Revocation::kAnyVersion, event.time});
  } else if (const auto changed = read_as<read::PasswordChanged>(event)) {
    pending_.push_back({changed->account, "", changed->number, event.time});
  } else if (const auto ended = read_as<read::SessionEnded>(event)) {
    pending_.push_back({ended->account, ended->session_id, Revocation::kAnyVersion, event.time});
  }
}

// Of a replay only what is young enough to matter is written. A token is as old as the clock of
// accounts says, so the time of its end is that of the event.
void RevocationProjection::flush(sql::Transaction& transaction) {
  // A statement may touch a row once.
  std::map<std::pair<core::AccountId, std::string>, Revocation> newest;
  for (const Revocation& revocation : pending_) {
    auto [at, is_new] = newest.try_emplace({revocation.account, revocation.session_id}, revocation);
    if (is_new) continue;
    at->second.below_version = std::max(at->second.below_version, revocation.below_version);
    at->second.revoked_at = std::max(at->second.revoked_at, revocation.revoked_at);
  }
  const std::string kept = std::to_string(RevokedTokens::kKept.count());
  sql::write_batch(transaction,
                   "INSERT INTO revocation AS known"
                   " SELECT account_id, session_id, below_version, revoked_at, clock_timestamp()"
                   " FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::timestamptz[])"
                   "  AS new (account_id, session_id, below_version, revoked_at)"
                   " WHERE revoked_at > now() - interval '" +
                       kept +
                       " hours'"
                       " ON CONFLICT (account_id, session_id) DO UPDATE"
                       " SET below_version = greatest(known.below_version, excluded.below_version),"
                       "  revoked_at = greatest(known.revoked_at, excluded.revoked_at),"
                       "  recorded_at = excluded.recorded_at",
                   newest, &Revocation::account, &Revocation::session_id,
                   &Revocation::below_version, &Revocation::revoked_at);
  if (pending_.empty()) return;
  transaction.execute("DELETE FROM revocation WHERE revoked_at < now() - interval '" + kept +
                      " hours'");
}

void RevocationProjection::flushed() {
  tokens_.add(pending_);
  pending_.clear();
}

}  // namespace tideline::revocations
