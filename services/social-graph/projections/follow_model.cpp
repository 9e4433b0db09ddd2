#include "social-graph/projections/follow_model.hpp"

#include <string>
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/follow_setting.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

using core::AccountId;
using eventsourcing::RecordedEvent;

std::string_view name_of(FollowDirection direction) {
  return direction == FollowDirection::Following ? "following" : "followers";
}

void FollowModel::apply(const RecordedEvent& event) {
  apply_setting(event);
  const auto read = eventsourcing::read_any<Follow::Event>(event);
  if (!read) return;
  const auto set = [&](const AccountId& follower, const AccountId& followee, bool active) {
    const Row row{active, event.time, event.version};
    rows_[{follower, FollowDirection::Following, followee}] = row;
    rows_[{followee, FollowDirection::Followers, follower}] = row;
  };
  std::visit(eventsourcing::Overloaded{
                 [&](const Followed& now) { set(now.follower, now.followee, true); },
                 [&](const Unfollowed& now) { set(now.follower, now.followee, false); },
             },
             *read);
}

void FollowModel::apply_setting(const RecordedEvent& event) {
  const auto read = eventsourcing::read_any<FollowSetting::Event>(event);
  if (!read) return;
  const auto& shown = std::get<FollowCountsShown>(*read);
  settings_[shown.owner] = {shown.shown_to, event.version};
}

void FollowModel::flush(sql::Transaction& transaction) const {
  flush_follows(transaction);
  flush_settings(transaction);
}

// All parts of the statement see the rows as they were before it. Counts of several runners meet
// in their order, so that none waits for one that waits for it.
void FollowModel::flush_follows(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "WITH said (owner, direction, other, active, since, version) AS ("
      "  SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::boolean[],"
      "  $5::timestamptz[], $6::bigint[])),"
      " before AS ("
      "  SELECT held.owner, held.direction, held.other, held.active"
      "  FROM said JOIN follow AS held USING (owner, direction, other)),"
      " written AS ("
      "  INSERT INTO follow AS held (owner, direction, other, active, since, version)"
      "  SELECT * FROM said"
      "  ON CONFLICT (owner, direction, other) DO UPDATE"
      "  SET active = excluded.active, since = excluded.since, version = excluded.version"
      "  WHERE excluded.version > held.version"
      "  RETURNING held.owner, held.direction, held.other, held.active)"
      " INSERT INTO follow_count AS held (owner, direction, people)"
      " SELECT owner, direction,"
      " sum(written.active::integer - coalesce(before.active, false)::integer)"
      " FROM written LEFT JOIN before USING (owner, direction, other)"
      " GROUP BY owner, direction ORDER BY owner, direction"
      " ON CONFLICT (owner, direction) DO UPDATE SET people = held.people + excluded.people",
      rows_, &Key::owner, [](const Key& key) { return name_of(key.direction); }, &Key::other,
      &Row::active, &Row::since, &Row::version);
}

void FollowModel::flush_settings(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO follow_setting AS held (owner, shown_to, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[])"
      " ON CONFLICT (owner) DO UPDATE"
      " SET shown_to = excluded.shown_to, version = excluded.version"
      " WHERE excluded.version > held.version",
      settings_, sql::kKey, [](const SettingRow& row) { return to_string(row.shown_to); },
      &SettingRow::version);
}

}  // namespace tideline::social_graph
