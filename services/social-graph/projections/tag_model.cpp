#include "social-graph/projections/tag_model.hpp"

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/tagging.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

using core::AccountId;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

void TagModel::clear() {
  tags_.clear();
  members_.clear();
}

void TagModel::apply(const RecordedEvent& event) {
  if (const auto tag = eventsourcing::read_any<std::variant<read::TagCreated, TagDeleted>>(event)) {
    std::visit(Overloaded{
                   [&](const read::TagCreated& created) {
                     tags_[{created.owner, created.tag_id}] = {created.sealed_name, event.time,
                                                               false, event.version};
                   },
                   [&](const TagDeleted& deleted) {
                     TagRow& row = tags_[{deleted.owner, deleted.tag_id}];
                     row.deleted = true;
                     row.version = event.version;
                   },
               },
               *tag);
  } else if (const auto tagging = eventsourcing::read_any<Tagging::Event>(event)) {
    const auto set = [&](const auto& fact, bool active) {
      members_[{fact.owner, fact.tag_id, fact.account_id}] = {active, event.time, event.version};
    };
    std::visit(Overloaded{
                   [&](const ContactTagged& tagged) { set(tagged, true); },
                   [&](const ContactUntagged& untagged) { set(untagged, false); },
               },
               *tagging);
  }
}

void TagModel::flush(sql::Transaction& transaction) const {
  flush_tags(transaction);
  flush_members(transaction);
}

void TagModel::flush_tags(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO tag AS held (owner, tag_id, name, created_at, deleted, version)"
                   " SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[],"
                   " $5::boolean[], $6::bigint[])"
                   " ON CONFLICT (owner, tag_id) DO UPDATE"
                   " SET name = coalesce(excluded.name, held.name),"
                   " created_at = coalesce(excluded.created_at, held.created_at),"
                   " deleted = excluded.deleted, version = excluded.version"
                   " WHERE excluded.version > held.version",
                   tags_, &TagKey::first, &TagKey::second, &TagRow::sealed_name,
                   &TagRow::created_at, &TagRow::deleted, &TagRow::version);
}

void TagModel::flush_members(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO tag_member AS held (owner, tag_id, account_id, active, since, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::boolean[],"
      " $5::timestamptz[], $6::bigint[])"
      " ON CONFLICT (owner, tag_id, account_id) DO UPDATE"
      " SET active = excluded.active, since = excluded.since, version = excluded.version"
      " WHERE excluded.version > held.version",
      members_, &MemberKey::owner, &MemberKey::tag_id, &MemberKey::account_id, &MemberRow::active,
      &MemberRow::since, &MemberRow::version);
}

}  // namespace tideline::social_graph
