#include "social-graph/projections/contact_model.hpp"

#include <string>
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

using core::AccountId;
using eventsourcing::RecordedEvent;

std::string_view name_of(Relation relation) {
  switch (relation) {
    case Relation::None:
      return "none";
    case Relation::Outgoing:
      return "outgoing";
    case Relation::Incoming:
      return "incoming";
    case Relation::Contact:
      return "contact";
  }
  CHECK(false, "a relation has one of its values");
  return {};
}

void ContactModel::set(const RecordedEvent& event, const AccountId& owner, const AccountId& other,
                       Relation relation) {
  rows_[{owner, other}] = {relation, event.time, event.version};
}

void ContactModel::apply(const RecordedEvent& event) {
  const auto read = eventsourcing::read_any<ContactPair::Event>(event);
  if (!read) return;
  const auto set_both = [&](const AccountId& one, const AccountId& other, Relation relation) {
    set(event, one, other, relation);
    set(event, other, one, relation);
  };
  std::visit(eventsourcing::Overloaded{
                 [&](const ContactRequested& requested) {
                   set(event, requested.from, requested.to, Relation::Outgoing);
                   set(event, requested.to, requested.from, Relation::Incoming);
                 },
                 [&](const ContactAccepted& accepted) {
                   set_both(accepted.from, accepted.to, Relation::Contact);
                 },
                 [&](const ContactDeclined& declined) {
                   set_both(declined.from, declined.to, Relation::None);
                 },
                 [&](const ContactRequestWithdrawn& withdrawn) {
                   set_both(withdrawn.from, withdrawn.to, Relation::None);
                 },
                 [&](const ContactRemoved& removed) {
                   set_both(removed.by, removed.other, Relation::None);
                 },
             },
             *read);
}

void ContactModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO contact AS held (owner, other, relation, since, version)"
      " SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::bigint[])"
      " ON CONFLICT (owner, other) DO UPDATE"
      " SET relation = excluded.relation, since = excluded.since, version = excluded.version"
      " WHERE excluded.version > held.version",
      rows_, &Key::owner, &Key::other, [](const Row& row) { return name_of(row.relation); },
      &Row::since, &Row::version);
}

}  // namespace tideline::social_graph
