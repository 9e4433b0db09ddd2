// What FeedReader says of groups and of blocks, for their messages.
#include <algorithm>
#include <shared_mutex>

#include "feed/projections/engine/feed_reader.hpp"

namespace tideline::feed {

bool FeedReader::are_groups_of(const core::AccountId& member,
                               std::span<const std::string> group_ids) const {
  const std::shared_lock lock(state_.mutex);
  const PersonIndex person = graph_.find_person(member);
  return std::ranges::all_of(group_ids, [&](const std::string& group_id) {
    const auto group = graph_.find_group(group_id);
    return group && !graph_.is_dissolved(*group) &&
           graph_.ever_kept_members(*group).contains(person);
  });
}

std::optional<core::Timestamp> FeedReader::reads_group_since(std::string_view group_id,
                                                             const core::AccountId& member) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex person = graph_.find_person(member);
  const auto group = graph_.find_group(group_id);
  if (!group || !graph_.is_member(*group, person)) return std::nullopt;
  return graph_.reads_since(*group, person);
}

std::vector<FeedReader::ReadGroup> FeedReader::groups_of(const core::AccountId& member,
                                                         std::size_t max) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  const PersonIndex person = graph_.find_person(member);
  std::vector<ReadGroup> groups;
  const auto& memberships = graph_.memberships_of(person);
  // Joined last is last.
  for (auto one = memberships.rbegin(); one != memberships.rend() && groups.size() < max; ++one) {
    if (!graph_.is_member(one->group, person)) continue;
    groups.push_back({graph_.id_of(one->group), graph_.reads_since(one->group, person)});
  }
  return groups;
}

std::vector<core::AccountId> FeedReader::apart_from(const core::AccountId& person) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  std::vector<core::AccountId> apart;
  for (const PersonIndex other : graph_.apart_from(graph_.find_person(person))) {
    apart.push_back(graph_.account_of(other));
  }
  std::sort(apart.begin(), apart.end());
  return apart;
}

bool FeedReader::are_contacts(const core::AccountId& one, const core::AccountId& other) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  return graph_.are_contacts(graph_.find_person(one), graph_.find_person(other));
}

bool FeedReader::has_blocked(const core::AccountId& by, const core::AccountId& other) const {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  return graph_.has_blocked(graph_.find_person(by), graph_.find_person(other));
}

}  // namespace tideline::feed
