#include "accounts/projections/account_projection.hpp"

#include <algorithm>

#include "accounts/stored_events.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "sql/columns.hpp"

namespace tideline::accounts {

namespace {

bool has(const RolesChanged& changed, AccountRole role) {
  return std::ranges::find(changed.roles, role) != changed.roles.end();
}

}  // namespace

void AccountProjection::load(sql::Transaction&) { changes_.clear(); }

void AccountProjection::apply(const eventsourcing::RecordedEvent& event) {
  using Known =
      std::variant<read::AccountRegistered, read::ProfileChanged, RolesChanged, AccountClosed>;
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
                 [&](const RolesChanged& changed) {
                   Change& change = changes_[changed.account];
                   change.is_operator = has(changed, AccountRole::Operator);
                   change.is_moderator = has(changed, AccountRole::Moderator);
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
  sql::write_batch(
      transaction,
      "INSERT INTO account AS held"
      " (account_id, profile, registered_at, is_operator, is_moderator, closed, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::boolean[],"
      " $5::boolean[], $6::boolean[], $7::bigint[])"
      " ON CONFLICT (account_id) DO UPDATE"
      " SET profile = CASE WHEN excluded.closed THEN NULL"
      " ELSE coalesce(excluded.profile, held.profile) END,"
      " registered_at = coalesce(excluded.registered_at, held.registered_at),"
      " is_operator = coalesce(excluded.is_operator, held.is_operator),"
      " is_moderator = coalesce(excluded.is_moderator, held.is_moderator),"
      " closed = held.closed OR excluded.closed, version = excluded.version"
      " WHERE excluded.version > held.version",
      changes_, sql::kKey, &Change::profile, &Change::registered_at, &Change::is_operator,
      &Change::is_moderator, &Change::closed, &Change::version);
}

}  // namespace tideline::accounts
