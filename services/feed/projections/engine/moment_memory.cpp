#include "feed/projections/engine/moment_memory.hpp"

#include <algorithm>
#include <utility>

namespace tideline::feed {

MomentAudience<GraphMemory> MomentFacts::for_predicates() const {
  MomentAudience<GraphMemory> moment{author, audience, {}, {}, {}, deleted};
  if (named) {
    moment.groups = named->lists.groups;
    moment.tags = named->lists.tags;
    moment.users = named->lists.users;
  }
  return moment;
}

MomentAudience<GraphMemory> MomentFacts::for_predicates(const EarlierAudience& earlier) const {
  const ListedPeople& lists = earlier.lists;
  return {author, earlier.audience, lists.groups, lists.tags, lists.users, deleted};
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
  note_groups(added);
  return added;
}

void MomentMemory::note_groups(const MomentFacts& moment) {
  if (!moment.named) return;
  for (const GroupIndex group : moment.named->lists.groups) {
    authors_by_group_[group].insert(moment.author);
  }
  for (const EarlierAudience& earlier : moment.named->earlier) {
    for (const GroupIndex group : earlier.lists.groups) {
      authors_by_group_[group].insert(moment.author);
    }
  }
}

const MomentFacts* MomentMemory::change_audience(core::MomentId id, std::uint8_t change,
                                                 Audience audience, ListedPeople lists, bool held) {
  MomentFacts* const moment = part_of(id).find(id.value());
  if (moment == nullptr || moment->deleted || change <= moment->audience_changes) return nullptr;
  auto named = std::make_unique<AudienceFacts>();
  if (held) {
    ListedPeople before;
    if (moment->named) {
      named->earlier = std::move(moment->named->earlier);
      before = std::move(moment->named->lists);
    }
    named->earlier.push_back({change, moment->audience, std::move(before)});
  }
  named->lists = std::move(lists);
  if (named->lists.empty() && named->earlier.empty()) named.reset();
  moment->named = std::move(named);
  moment->audience = audience;
  moment->audience_changes = change;
  note_groups(*moment);
  return moment;
}

void MomentMemory::confirm_audience(core::MomentId id, std::uint32_t change) {
  MomentFacts* const moment = part_of(id).find(id.value());
  if (moment == nullptr || !moment->named) return;
  std::erase_if(moment->named->earlier,
                [&](const EarlierAudience& earlier) { return earlier.change <= change; });
  if (moment->named->earlier.empty() && moment->named->lists.empty()) moment->named.reset();
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
  found->named.reset();
}

void MomentMemory::release(core::MomentId id) {
  MomentFacts* const found = part_of(id).find(id.value());
  if (found != nullptr) found->held = false;
}

void MomentMemory::set_hidden(core::MomentId id, bool is) {
  MomentFacts* const found = part_of(id).find(id.value());
  if (found != nullptr) found->hidden = is;
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
