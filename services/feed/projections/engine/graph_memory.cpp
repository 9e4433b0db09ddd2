#include "feed/projections/engine/graph_memory.hpp"

#include "feed/domain/visibility.hpp"

namespace tideline::feed {
namespace {

static_assert(AudienceGraph<GraphMemory>);

void set(People& people, PersonIndex person, bool is) {
  if (is) {
    people.insert(person);
  } else {
    people.erase(person);
  }
}

}  // namespace

bool set(PeopleArray& people, PersonIndex person, bool is) {
  const auto place = people.empty() || people.back() < person
                         ? people.end()
                         : std::lower_bound(people.begin(), people.end(), person);
  const bool was = place != people.end() && *place == person;
  if (is && !was) people.insert(place, person);
  if (!is && was) people.erase(place);
  return is != was;
}

GraphMemory::GraphMemory() { add_person({}); }

void GraphMemory::add_person(const core::AccountId& account) {
  marks_.push_back(0);
  accounts_.push_back(account);
  people_.emplace_back();
  followees_.emplace_back();
}

PersonIndex GraphMemory::person(const core::AccountId& account) {
  const auto [number, is_new] =
      person_by_account_.try_emplace(account, static_cast<PersonIndex>(people_.size()));
  if (is_new) add_person(account);
  return *number;
}

TagIndex GraphMemory::tag(std::string_view tag_id) {
  const auto [entry, is_new] =
      tag_by_id_.try_emplace(std::string(tag_id), static_cast<TagIndex>(tags_.size()));
  if (is_new) tags_.emplace_back();
  return entry->second;
}

GroupIndex GraphMemory::group(std::string_view group_id) {
  const auto [entry, is_new] =
      group_by_id_.try_emplace(std::string(group_id), static_cast<GroupIndex>(groups_.size()));
  if (is_new) groups_.emplace_back().id = std::make_unique<const std::string>(group_id);
  return entry->second;
}

PersonIndex GraphMemory::find_person(const core::AccountId& account) const {
  const PersonIndex* const number = person_by_account_.find(account);
  return number == nullptr ? kStranger : *number;
}

std::optional<TagIndex> GraphMemory::find_tag(std::string_view tag_id) const {
  const auto found = tag_by_id_.find(std::string(tag_id));
  if (found == tag_by_id_.end()) return std::nullopt;
  return found->second;
}

std::optional<GroupIndex> GraphMemory::find_group(std::string_view group_id) const {
  const auto found = group_by_id_.find(std::string(group_id));
  if (found == group_by_id_.end()) return std::nullopt;
  return found->second;
}

bool GraphMemory::set_contacts(PersonIndex one, PersonIndex other, bool are) {
  set(at(other).contacts, one, are);
  return set(at(one).contacts, other, are);
}

bool GraphMemory::set_follows(PersonIndex follower, PersonIndex followee, bool does) {
  set(followees_[number(follower)], followee, does);
  return set(at(followee).followers, follower, does);
}

GraphMemory::Lifted GraphMemory::set_exclusion(PersonIndex owner, PersonIndex other, bool hides,
                                               bool hidden_from) {
  const unsigned bits = (hides ? kHides : 0U) | (hidden_from ? kHiddenFrom : 0U);
  const unsigned lifted = set_towards(owner, other, kHides | kHiddenFrom, bits) & ~bits;
  set_shut_out(owner, other);
  set_shut_out(other, owner);
  return {(lifted & kHides) != 0, (lifted & kHiddenFrom) != 0};
}

bool GraphMemory::set_block(PersonIndex by, PersonIndex other, bool blocks) {
  const bool before = (set_towards(by, other, kBlocks, blocks ? kBlocks : 0U) & kBlocks) != 0;
  set_towards(other, by, kBlockedBy, blocks ? kBlockedBy : 0U);
  set_shut_out(by, other);
  set_shut_out(other, by);
  return before != blocks;
}

unsigned GraphMemory::set_towards(PersonIndex owner, PersonIndex other, unsigned mask,
                                  unsigned bits) {
  const unsigned before = exclusion(owner, other);
  const unsigned after = (before & ~mask) | bits;
  if (after == before) return before;
  auto& towards = exclusions_of(owner).towards;
  if (after == 0) {
    towards.erase(other);
  } else {
    towards[other] = static_cast<std::uint8_t>(after);
  }
  return before;
}

GraphMemory::Exclusions& GraphMemory::exclusions_of(PersonIndex person) {
  auto& exclusions = at(person).exclusions;
  if (!exclusions) exclusions = std::make_unique<Exclusions>();
  marks_[number(person)] |= kExcludes;
  return *exclusions;
}

void GraphMemory::set_shut_out(PersonIndex author, PersonIndex viewer) {
  const bool is = (exclusion(viewer, author) & (kHides | kBlocks | kBlockedBy)) != 0 ||
                  (exclusion(author, viewer) & kHiddenFrom) != 0;
  set(exclusions_of(author).shut_out, viewer, is);
}

void GraphMemory::set_tagged(PersonIndex owner, TagIndex tag, PersonIndex person, bool is) {
  at(tag).owner = owner;
  set(at(tag).people, person, is);
}

void GraphMemory::set_member(GroupIndex group, PersonIndex person, bool is, core::Timestamp since) {
  set(at(group).members, person, is);
  auto& memberships = memberships_[person];
  std::erase_if(memberships, [&](const Membership& one) { return one.group == group; });
  if (is) memberships.push_back({group, since});
  if (memberships.empty()) memberships_.erase(person);
}

bool GraphMemory::has_tagged(PersonIndex owner, TagIndex tag, PersonIndex person) const {
  const TagFacts& facts = at(tag);
  return !facts.deleted && facts.owner == owner && facts.people.contains(person) &&
         !is_unsettled(Relation::tagged(tag, person));
}

bool GraphMemory::may_have_tagged(PersonIndex owner, TagIndex tag, PersonIndex person) const {
  const TagFacts& facts = at(tag);
  return facts.owner == owner && (!facts.deleted || is_unsettled(Relation::tag_end(tag))) &&
         (facts.people.contains(person) || is_unsettled(Relation::tagged(tag, person)));
}

bool GraphMemory::is_member(GroupIndex group, PersonIndex person) const {
  const GroupFacts& facts = at(group);
  return !facts.dissolved && facts.members.contains(person) &&
         !is_unsettled(Relation::member(group, person));
}

bool GraphMemory::may_be_member(GroupIndex group, PersonIndex person) const {
  const GroupFacts& facts = at(group);
  return (!facts.dissolved || is_unsettled(Relation::group_end(group))) &&
         (facts.members.contains(person) || is_unsettled(Relation::member(group, person)));
}

core::Timestamp GraphMemory::reads_since(GroupIndex group, PersonIndex person) const {
  if (at(group).open_history && !is_unsettled(Relation::history(group))) return {};
  const auto& memberships = memberships_of(person);
  const auto found = std::ranges::find(memberships, group, &Membership::group);
  return found == memberships.end() ? core::Timestamp::max() : found->since;
}

const std::vector<GraphMemory::Membership>& GraphMemory::memberships_of(PersonIndex person) const {
  static const std::vector<Membership> kNone;
  const auto found = memberships_.find(person);
  return found == memberships_.end() ? kNone : found->second;
}

std::vector<PersonIndex> GraphMemory::apart_from(PersonIndex person) const {
  People apart;
  if (const auto& exclusions = at(person).exclusions) {
    for (const auto& [other, bits] : exclusions->towards) {
      if ((bits & (kBlocks | kBlockedBy)) != 0) apart.insert(other);
    }
  }
  for (const auto& [relation, events] : unsettled_) {
    if (relation.kind != Relation::Kind::Blocks) continue;
    if (PersonIndex{relation.one} == person) apart.insert(PersonIndex{relation.other});
    if (PersonIndex{relation.other} == person) apart.insert(PersonIndex{relation.one});
  }
  return {apart.begin(), apart.end()};
}

People GraphMemory::maybe_tagged_with(TagIndex tag) const {
  return with_unsettled(at(tag).people, Relation::Kind::Tagged, static_cast<std::uint32_t>(tag));
}

People GraphMemory::maybe_kept_members(GroupIndex group) const {
  return with_unsettled(at(group).members, Relation::Kind::Member,
                        static_cast<std::uint32_t>(group));
}

People GraphMemory::with_unsettled(People people, Relation::Kind kind, std::uint32_t list) const {
  for (const auto& [relation, events] : unsettled_) {
    if (relation.kind == kind && relation.one == list) people.insert(PersonIndex{relation.other});
  }
  return people;
}

void GraphMemory::confirm(const Relation& relation) {
  const auto found = unsettled_.find(relation);
  if (found != unsettled_.end() && --found->second == 0) unsettled_.erase(found);
}

bool GraphMemory::can_name(const Relation& relation) const {
  using enum Relation::Kind;
  switch (relation.kind) {
    case None:
      return false;
    case Contacts:
    case Follows:
    case Hides:
    case HiddenFrom:
    case Blocks:
      return relation.one < people() && relation.other < people();
    case Tagged:
    case TagEnd:
      return relation.one < tags() && relation.other < people();
    case Member:
    case GroupEnd:
    case History:
      return relation.one < groups() && relation.other < people();
  }
  return false;
}

}  // namespace tideline::feed
