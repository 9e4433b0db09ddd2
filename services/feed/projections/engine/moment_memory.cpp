#include "feed/projections/engine/moment_memory.hpp"

#include <algorithm>
#include <utility>

namespace tideline::feed {

MomentAudience<GraphMemory> MomentFacts::for_predicates() const {
  MomentAudience<GraphMemory> moment{author, audience, {}, {}, {}, deleted};
  if (lists) {
    moment.groups = lists->groups;
    moment.tags = lists->tags;
    moment.users = lists->users;
  }
  return moment;
}

void MomentMemory::add(MomentFacts facts) {
  const core::MomentId id = facts.id;
  const auto [entry, is_new] = moments_.try_emplace(id.value(), std::move(facts));
  if (!is_new) return;
  const MomentFacts& added = entry->second;

  auto& ids = by_author_[added.author];
  ids.insert(std::upper_bound(ids.begin(), ids.end(), id), id);
  if (added.lists) {
    for (const GroupIndex group : added.lists->groups) {
      authors_by_group_[group].insert(added.author);
    }
  }
}

void MomentMemory::remove(core::MomentId id) {
  const auto found = moments_.find(id.value());
  if (found == moments_.end()) return;
  found->second.deleted = true;
  found->second.lists.reset();
}

void MomentMemory::release(core::MomentId id) {
  const auto found = moments_.find(id.value());
  if (found != moments_.end()) found->second.held = false;
}

const MomentFacts* MomentMemory::find(core::MomentId id) const {
  const auto found = moments_.find(id.value());
  return found == moments_.end() ? nullptr : &found->second;
}

std::span<const core::MomentId> MomentMemory::of_author(PersonIndex author) const {
  const auto found = by_author_.find(author);
  if (found == by_author_.end()) return {};
  return found->second;
}

const People& MomentMemory::authors_naming(GroupIndex group) const {
  static const People kNobody;
  const auto found = authors_by_group_.find(group);
  return found == authors_by_group_.end() ? kNobody : found->second;
}

}  // namespace tideline::feed
