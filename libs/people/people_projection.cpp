#include "people/people_projection.hpp"

#include "people/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::people {

void PeopleProjection::load(sql::Transaction&) { closed_by_account_.clear(); }

void PeopleProjection::apply(const eventsourcing::RecordedEvent& event) {
  if (const auto registered = eventsourcing::read_as<read::AccountRegistered>(event)) {
    closed_by_account_[registered->account] |= false;
  } else if (const auto closed = eventsourcing::read_as<read::AccountClosed>(event)) {
    closed_by_account_[closed->account] = true;
  }
}

void PeopleProjection::flush(sql::Transaction& transaction) {
  sql::write_batch(
      transaction,
      "INSERT INTO person AS known (account_id, closed)"
      " SELECT * FROM unnest($1::uuid[], $2::boolean[])"
      " ON CONFLICT (account_id) DO UPDATE SET closed = known.closed OR excluded.closed",
      closed_by_account_, sql::kKey, sql::kValue);
  erase_closed(transaction);
}

// What the closed have written here goes with their accounts. As postgres::PostgresSubjectKeys
// does it: the row stays without its key, so that a late command cannot make another.
void PeopleProjection::erase_closed(sql::Transaction& transaction) const {
  std::vector<core::AccountId> subjects;
  for (const auto& [account, is_closed] : closed_by_account_) {
    if (is_closed) subjects.push_back(account);
  }
  if (subjects.empty()) return;
  transaction.execute(
      "INSERT INTO subject_key (subject, key, destroyed_at)"
      " SELECT subject, NULL, now() FROM unnest($1::uuid[]) AS closed (subject)"
      " ON CONFLICT (subject) DO UPDATE SET key = NULL, destroyed_at = now()"
      " WHERE subject_key.key IS NOT NULL",
      {subjects});
  for (const std::string& table : owned_) {
    transaction.execute("DELETE FROM " + table + " WHERE owner = ANY($1::uuid[])", {subjects});
  }
}

}  // namespace tideline::people
