#include "accounts/projections/account_projection.hpp"

#include <vector>

#include "accounts/stored_events.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

void AccountProjection::load(sql::Transaction&) { changes_.clear(); }

void AccountProjection::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::AccountRegistered, read::ProfileChanged, AccountClosed>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  std::visit(eventsourcing::Overloaded{
                 [&](const read::AccountRegistered& registration) {
                   Change& change = changes_[registration.account];
                   change.profile = registration.sealed_profile;
                   change.registered_at = registration.registered_at;
                   change.version = event.version;
                 },
                 [&](const read::ProfileChanged& changed) {
                   Change& change = changes_[changed.account];
                   change.profile = changed.sealed_profile;
                   change.version = event.version;
                 },
                 [&](const AccountClosed& closing) {
                   Change& change = changes_[closing.account];
                   change.profile.reset();
                   change.closed = true;
                   change.version = event.version;
                 },
             },
             *known);
}

void AccountProjection::flush(sql::Transaction& transaction) {
  if (changes_.empty()) return;
  std::vector<core::AccountId> accounts;
  std::vector<std::optional<std::string>> profiles;
  std::vector<std::optional<core::Timestamp>> registered;
  std::vector<bool> closed;
  std::vector<core::StreamVersion> versions;
  for (const auto& [account, change] : changes_) {
    accounts.push_back(account);
    profiles.push_back(change.profile);
    registered.push_back(change.registered_at);
    closed.push_back(change.closed);
    versions.push_back(change.version);
  }
  transaction.execute(
      "INSERT INTO account AS held (account_id, profile, registered_at, closed, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::boolean[],"
      " $5::bigint[])"
      " ON CONFLICT (account_id) DO UPDATE"
      " SET profile = CASE WHEN excluded.closed THEN NULL"
      " ELSE coalesce(excluded.profile, held.profile) END,"
      " registered_at = coalesce(excluded.registered_at, held.registered_at),"
      " closed = held.closed OR excluded.closed, version = excluded.version"
      " WHERE excluded.version > held.version",
      {accounts, profiles, registered, closed, versions});
}

}  // namespace tideline::accounts
