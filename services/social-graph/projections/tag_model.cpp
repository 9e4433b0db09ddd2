#include "social-graph/projections/tag_model.hpp"

#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/tagging.hpp"
#include "social-graph/stored_events.hpp"

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
  if (!tags_.empty()) flush_tags(transaction);
  if (!members_.empty()) flush_members(transaction);
}

void TagModel::flush_tags(sql::Transaction& transaction) const {
  std::vector<AccountId> owners;
  std::vector<std::string> ids;
  std::vector<std::optional<std::string>> names;
  std::vector<std::optional<core::Timestamp>> times;
  std::vector<bool> deleted;
  std::vector<core::StreamVersion> versions;
  for (const auto& [key, row] : tags_) {
    owners.push_back(key.first);
    ids.push_back(key.second);
    names.push_back(row.sealed_name);
    times.push_back(row.created_at);
    deleted.push_back(row.deleted);
    versions.push_back(row.version);
  }
  transaction.execute(
      "INSERT INTO tag AS held (owner, tag_id, name, created_at, deleted, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[],"
      " $5::boolean[], $6::bigint[])"
      " ON CONFLICT (owner, tag_id) DO UPDATE"
      " SET name = coalesce(excluded.name, held.name),"
      " created_at = coalesce(excluded.created_at, held.created_at),"
      " deleted = excluded.deleted, version = excluded.version"
      " WHERE excluded.version > held.version",
      {owners, ids, names, times, deleted, versions});
}

void TagModel::flush_members(sql::Transaction& transaction) const {
  std::vector<AccountId> owners;
  std::vector<std::string> ids;
  std::vector<AccountId> accounts;
  std::vector<bool> active;
  std::vector<core::Timestamp> times;
  std::vector<core::StreamVersion> versions;
  for (const auto& [key, row] : members_) {
    owners.push_back(std::get<0>(key));
    ids.push_back(std::get<1>(key));
    accounts.push_back(std::get<2>(key));
    active.push_back(row.active);
    times.push_back(row.since);
    versions.push_back(row.version);
  }
  transaction.execute(
      "INSERT INTO tag_member AS held (owner, tag_id, account_id, active, since, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::boolean[],"
      " $5::timestamptz[], $6::bigint[])"
      " ON CONFLICT (owner, tag_id, account_id) DO UPDATE"
      " SET active = excluded.active, since = excluded.since, version = excluded.version"
      " WHERE excluded.version > held.version",
      {owners, ids, accounts, active, times, versions});
}

}  // namespace tideline::social_graph
