#include "social-graph/projections/follow_model.hpp"

#include <string>
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

using core::AccountId;
using eventsourcing::RecordedEvent;

std::string_view name_of(FollowDirection direction) {
  return direction == FollowDirection::Following ? "following" : "followers";
}

void FollowModel::apply(const RecordedEvent& event) {
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

void FollowModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO follow AS held (owner, direction, other, active, since, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::boolean[],"
      " $5::timestamptz[], $6::bigint[])"
      " ON CONFLICT (owner, direction, other) DO UPDATE"
      " SET active = excluded.active, since = excluded.since, version = excluded.version"
      " WHERE excluded.version > held.version",
      rows_, &Key::owner, [](const Key& key) { return name_of(key.direction); }, &Key::other,
      &Row::active, &Row::since, &Row::version);
}

}  // namespace tideline::social_graph
