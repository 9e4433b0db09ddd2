#include "social-graph/projections/follow_model.hpp"

#include <string>
#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/stored_events.hpp"

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
  if (rows_.empty()) return;
  std::vector<AccountId> owners;
  std::vector<std::string> directions;
  std::vector<AccountId> others;
  std::vector<bool> active;
  std::vector<core::Timestamp> times;
  std::vector<core::StreamVersion> versions;
  for (const auto& [key, row] : rows_) {
    owners.push_back(std::get<0>(key));
    directions.emplace_back(name_of(std::get<1>(key)));
    others.push_back(std::get<2>(key));
    active.push_back(row.active);
    times.push_back(row.since);
    versions.push_back(row.version);
  }
  transaction.execute(
      "INSERT INTO follow AS held (owner, direction, other, active, since, version)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::boolean[],"
      " $5::timestamptz[], $6::bigint[])"
      " ON CONFLICT (owner, direction, other) DO UPDATE"
      " SET active = excluded.active, since = excluded.since, version = excluded.version"
      " WHERE excluded.version > held.version",
      {owners, directions, others, active, times, versions});
}

}  // namespace tideline::social_graph
