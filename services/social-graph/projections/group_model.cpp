#include "social-graph/projections/group_model.hpp"

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

using core::AccountId;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;
using Phase = Membership::Phase;

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::Stranger:
      return "stranger";
    case Phase::Invited:
      return "invited";
    case Phase::Member:
      return "member";
    case Phase::Left:
      return "left";
    case Phase::Declined:
      return "declined";
    case Phase::Removed:
      return "removed";
  }
  CHECK(false, "a membership has one of its phases");
  return {};
}

void GroupModel::clear() {
  groups_.clear();
  sizes_.clear();
  members_.clear();
  admins_.clear();
}

void GroupModel::apply(const RecordedEvent& event) {
  apply_group(event);
  apply_membership(event);
  if (const auto read = eventsourcing::read_any<MemberCount::Event>(event)) {
    std::visit(Overloaded{[&](const MemberCountChanged& changed) {
                 sizes_[changed.group_id] = {changed.count, event.version};
               }},
               *read);
  }
}

void GroupModel::apply_group(const RecordedEvent& event) {
  using Known = std::variant<read::GroupCreated, read::GroupRenamed, GroupHistoryChanged,
                             read::GroupHandedOver, GroupDissolved>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  const auto changed = [&](const std::string& group_id) -> GroupRow& {
    GroupRow& row = groups_[group_id];
    row.version = event.version;
    return row;
  };
  std::visit(
      Overloaded{
          [&](const read::GroupCreated& created) {
            groups_[created.group_id] = {created.creator, created.sealed_name, created.is_private,
                                         event.time,      created.history,     false,
                                         event.version};
          },
          [&](const read::GroupRenamed& renamed) {
            changed(renamed.group_id).sealed_name = renamed.sealed_name;
          },
          [&](const GroupHistoryChanged& now) { changed(now.group_id).history = now.history; },
          [&](const read::GroupHandedOver& handed) {
            GroupRow& row = changed(handed.group_id);
            row.creator = handed.to;
            row.sealed_name = handed.sealed_name;
          },
          [&](const GroupDissolved& dissolved) { changed(dissolved.group_id).dissolved = true; },
      },
      *known);
}

void GroupModel::apply_membership(const RecordedEvent& event) {
  const auto read = eventsourcing::read_any<Membership::Event>(event);
  if (!read) return;
  const auto set = [&](const auto& fact, Phase phase) {
    members_[{fact.group_id, fact.account_id}] = {phase, event.time, event.version};
  };
  std::visit(
      Overloaded{
          [&](const GroupInvited& invited) { set(invited, Phase::Invited); },
          [&](const GroupJoined& joined) { set(joined, Phase::Member); },
          [&](const GroupInvitationDeclined& declined) { set(declined, Phase::Declined); },
          [&](const GroupLeft& left) { set(left, Phase::Left); },
          [&](const GroupMemberRemoved& removed) { set(removed, Phase::Removed); },
          [&](const GroupAdminChanged& changed) {
            admins_[{changed.group_id, changed.account_id}] = {changed.is_admin, event.version};
          },
      },
      *read);
}

void GroupModel::flush(sql::Transaction& transaction) const {
  flush_groups(transaction);
  flush_sizes(transaction);
  flush_members(transaction);
  flush_admins(transaction);  // of rows that are there by now
}

void GroupModel::flush_groups(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO social_group AS held"
      " (group_id, creator, name, private, created_at, history, dissolved, version)"
      " SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::boolean[],"
      " $5::timestamptz[], $6::text[], $7::boolean[], $8::bigint[])"
      " ON CONFLICT (group_id) DO UPDATE"
      " SET creator = coalesce(excluded.creator, held.creator),"
      " name = coalesce(excluded.name, held.name),"
      " private = coalesce(excluded.private, held.private),"
      " created_at = coalesce(excluded.created_at, held.created_at),"
      " history = coalesce(excluded.history, held.history),"
      " dissolved = excluded.dissolved, version = excluded.version"
      " WHERE excluded.version > held.version",
      groups_, sql::kKey, &GroupRow::creator, &GroupRow::sealed_name, &GroupRow::is_private,
      &GroupRow::created_at,
      [](const GroupRow& row) {
        std::optional<std::string> history;
        if (row.history) history = to_string(*row.history);
        return history;
      },
      &GroupRow::dissolved, &GroupRow::version);
}

void GroupModel::flush_sizes(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO social_group_size AS held (group_id, members, version)"
                   " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])"
                   " ON CONFLICT (group_id) DO UPDATE"
                   " SET members = excluded.members, version = excluded.version"
                   " WHERE excluded.version > held.version",
                   sizes_, sql::kKey, &SizeRow::members, &SizeRow::version);
}

void GroupModel::flush_members(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO group_member AS held (group_id, account_id, phase, since, version)"
      " SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::timestamptz[],"
      " $5::bigint[])"
      " ON CONFLICT (group_id, account_id) DO UPDATE"
      " SET phase = excluded.phase, since = excluded.since, admin = false,"
      " version = excluded.version"
      " WHERE excluded.version > held.version",
      members_, &MemberKey::first, &MemberKey::second,
      [](const MemberRow& row) { return name_of(row.phase); }, &MemberRow::since,
      &MemberRow::version);
}

void GroupModel::flush_admins(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "UPDATE group_member AS held SET admin = said.admin, version = said.version"
                   " FROM unnest($1::text[], $2::uuid[], $3::boolean[], $4::bigint[])"
                   " AS said (group_id, account_id, admin, version)"
                   " WHERE held.group_id = said.group_id AND held.account_id = said.account_id"
                   " AND held.version < said.version",
                   admins_, &MemberKey::first, &MemberKey::second, &AdminRow::is_admin,
                   &AdminRow::version);
}

}  // namespace tideline::social_graph
