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

const MomentFacts& MomentMemory::add(MomentFacts facts) {
  const core::MomentId id = facts.id;
  const auto [entry, is_new] = part_of(id).try_emplace(id.value(), std::move(facts));
  const MomentFacts& added = *entry;
  if (!is_new) return added;
  ++size_;

  auto& ids = ids_of(added.author);
  const bool is_last = ids.empty() || ids.back() < id;
  ids.insert(is_last ? ids.end() : std::upper_bound(ids.begin(), ids.end(), id), id);
  if (added.lists) {
    for (const GroupIndex group : added.lists->groups) {
      authors_by_group_[group].insert(added.author);
    }
  }
  return added;
}

std::vector<core::MomentId>& MomentMemory::ids_of(PersonIndex author) {
  const auto number = static_cast<std::uint32_t>(author);
  if (number >= by_author_.size()) by_author_.resize(std::size_t{number} + 1);
  return by_author_[number];
}

void MomentMemory::remove(core::MomentId id) {
  MomentFacts* const found = part_of(id).find(id.value());
  if (found == nullptr) return;
  found->deleted = true;
  found->lists.reset();
}

void MomentMemory::release(core::MomentId id) {
  MomentFacts* const found = part_of(id).find(id.value());
  if (found != nullptr) found->held = false;
}

std::span<const core::MomentId> MomentMemory::of_author(PersonIndex author) const {
  const auto number = static_cast<std::uint32_t>(author);
  if (number >= by_author_.size()) return {};
  return by_author_[number];
}

const People& MomentMemory::authors_naming(GroupIndex group) const {
  static const People kNobody;
  const auto found = authors_by_group_.find(group);
  return found == authors_by_group_.end() ? kNobody : found->second;
}

}  // namespace tideline::feed
