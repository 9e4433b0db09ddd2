// Who is whose contact, follows, excludes, tags and is in which group, as facts in memory.
//
// Each fact is the last event of one stream, and the events of a stream come in order, so it takes
// no version to reach the same facts in every interleaving of logs. Nothing cascades: removing a
// contact leaves tags, exclusions and memberships as they are.
//
// A fact can be unsettled: its last event may show somebody something, and what its writer had seen
// is not all here yet (causal_holdback.hpp). Until it is confirmed the predicates are answered so
// that they show what both answers would.
//
// People, tags and groups are named by small numbers, given out at their first mention. Not
// synchronized: FeedState::mutex guards it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/prefetch.hpp"
#include "core/probed_map.hpp"
#include "feed/projections/engine/relation.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {

using People = absl::flat_hash_set<PersonIndex>;
// Ascending, each once: four bytes a person, and a fan-out reads them in one go.
using PeopleArray = std::vector<PersonIndex>;

// A search without branches: which half it goes to is anybody's guess, and a wrong one costs more
// than the look itself.
inline bool holds(const PeopleArray& people, PersonIndex person) {
  const PersonIndex* first = people.data();
  std::size_t count = people.size();
  while (count > 1) {
    const std::size_t half = count / 2;
    first += half & -static_cast<std::size_t>(first[half - 1] < person);
    count -= half;
  }
  return count == 1 && *first == person;
}

// Whether he is in it, from now on; false if nothing has changed by it.
bool set(PeopleArray& people, PersonIndex person, bool is);

class GraphMemory {
 public:
  using Person = PersonIndex;
  using Tag = TagIndex;
  using Group = GroupIndex;

  // Somebody whom no event has named: related to nobody.
  static constexpr PersonIndex kStranger{0};

  GraphMemory();

  // Not of AccountId(), which is nobody's.
  PersonIndex person(const core::AccountId& account);
  TagIndex tag(std::string_view tag_id);
  GroupIndex group(std::string_view group_id);

  // Tells the processor that somebody's number will be asked for.
  void prefetch_person(const core::AccountId& account) const {
    person_by_account_.prefetch(account);
  }
  // That it will be asked who he is, and whether he is closed or on a side of any exclusion.
  void prefetch_account(PersonIndex person) const {
    core::prefetch(&accounts_[number(person)]);
    core::prefetch(&marks_[number(person)]);
  }
  // Whom he excludes, and where his contacts and followers lie.
  void prefetch_facts(PersonIndex person) const { core::prefetch(&at(person)); }
  // Who the first `count` of his contacts are.
  void prefetch_contacts(PersonIndex person, std::size_t count) const {
    constexpr std::size_t kLinePeople = core::kCacheLine / sizeof(PersonIndex);
    const PeopleArray& contacts = at(person).contacts;
    for (std::size_t i = 0; i < std::min(contacts.size(), count); i += kLinePeople) {
      core::prefetch(&contacts[i]);
    }
  }

  PersonIndex find_person(const core::AccountId& account) const;  // kStranger if never named
  std::optional<TagIndex> find_tag(std::string_view tag_id) const;
  std::optional<GroupIndex> find_group(std::string_view group_id) const;
  const core::AccountId& account_of(PersonIndex person) const { return accounts_[number(person)]; }

  void close(PersonIndex person) { marks_[number(person)] |= kClosed; }
  // Whether it was otherwise before.
  bool set_contacts(PersonIndex one, PersonIndex other, bool are);
  bool set_follows(PersonIndex follower, PersonIndex followee, bool does);
  // Which of both was lifted.
  struct Lifted {
    bool hides = false;
    bool hidden_from = false;
  };
  Lifted set_exclusion(PersonIndex owner, PersonIndex other, bool hides, bool hidden_from);
  // Whether it was otherwise before.
  bool set_block(PersonIndex by, PersonIndex other, bool blocks);
  void own_tag(PersonIndex owner, TagIndex tag) { at(tag).owner = owner; }
  void set_tagged(PersonIndex owner, TagIndex tag, PersonIndex person, bool is);
  void delete_tag(TagIndex tag) { at(tag).deleted = true; }
  // `since`: of who joins.
  void set_member(GroupIndex group, PersonIndex person, bool is, core::Timestamp since = {});
  void dissolve(GroupIndex group) { at(group).dissolved = true; }
  // Whether who joins later reads what was sent before.
  void open_history(GroupIndex group, bool is) { at(group).open_history = is; }

  // It is unsettled until it has been settled as often.
  void unsettle(const Relation& relation) { ++unsettled_[relation]; }
  void confirm(const Relation& relation);
  bool is_any_unconfirmed() const { return !unsettled_.empty(); }
  // Whether all that it names has been named.
  bool can_name(const Relation& relation) const;

  // What the predicates ask (feed/domain/visibility.hpp).
  bool is_closed(PersonIndex person) const { return (marks_[number(person)] & kClosed) != 0; }
  bool are_contacts(PersonIndex one, PersonIndex other) const {
    return holds(at(one).contacts, other) && !is_unsettled(Relation::contacts(one, other));
  }
  bool is_following(PersonIndex follower, PersonIndex followee) const {
    return holds(followees_of(follower), followee) &&
           !is_unsettled(Relation::follows(follower, followee));
  }
  bool hides(PersonIndex owner, PersonIndex other) const {
    return (exclusion(owner, other) & kHides) != 0 || is_unsettled(Relation::hides(owner, other));
  }
  bool is_hidden_from(PersonIndex owner, PersonIndex other) const {
    return (exclusion(owner, other) & kHiddenFrom) != 0 ||
           is_unsettled(Relation::hidden_from(owner, other));
  }
  bool has_blocked(PersonIndex by, PersonIndex other) const {
    return (exclusion(by, other) & kBlocks) != 0 || is_unsettled(Relation::blocks(by, other));
  }
  // Whether one of the two blocks the other.
  bool are_apart(PersonIndex one, PersonIndex other) const {
    return (exclusion(one, other) & (kBlocks | kBlockedBy)) != 0 ||
           is_unsettled(Relation::blocks(one, other)) || is_unsettled(Relation::blocks(other, one));
  }
  bool has_tagged(PersonIndex owner, TagIndex tag, PersonIndex person) const;
  bool may_have_tagged(PersonIndex owner, TagIndex tag, PersonIndex person) const;
  bool is_member(GroupIndex group, PersonIndex person) const;
  bool may_be_member(GroupIndex group, PersonIndex person) const;
  // From when on a member reads the group's messages: his last joining, or its start.
  core::Timestamp reads_since(GroupIndex group, PersonIndex person) const;

  // Lists hold what is unsettled, too.
  const PeopleArray& contacts_of(PersonIndex person) const { return at(person).contacts; }
  const PeopleArray& followers_of(PersonIndex person) const { return at(person).followers; }
  const PeopleArray& followees_of(PersonIndex person) const { return followees_[number(person)]; }
  // Those who hide the author, those whom he hides from, and whoever is on the other side of a
  // block: mostly nobody.
  const People& shut_out_of(PersonIndex author) const {
    static const People kNobody;
    const auto& exclusions = at(author).exclusions;
    return exclusions ? exclusions->shut_out : kNobody;
  }
  std::size_t people() const { return people_.size(); }  // kStranger is one
  std::size_t tags() const { return tags_.size(); }
  std::size_t groups() const { return groups_.size(); }
  const People& tagged_with(TagIndex tag) const { return at(tag).people; }
  PersonIndex owner_of(TagIndex tag) const { return at(tag).owner; }
  bool is_deleted(TagIndex tag) const { return at(tag).deleted; }
  struct Membership {
    GroupIndex group;
    core::Timestamp since;
  };
  // Those of dissolved groups, and unsettled ones, too.
  const std::vector<Membership>& memberships_of(PersonIndex person) const;
  const std::string& id_of(GroupIndex group) const { return *at(group).id; }
  // Whoever is on the other side of a block.
  std::vector<PersonIndex> apart_from(PersonIndex person) const;
  // Also of a dissolved group.
  const People& ever_kept_members(GroupIndex group) const { return at(group).members; }
  // With those of whom it is unsettled.
  People maybe_tagged_with(TagIndex tag) const;
  People maybe_kept_members(GroupIndex group) const;
  bool is_dissolved(GroupIndex group) const { return at(group).dissolved; }

  // All of it but what is unsettled, and back with the same numbers. load() of what is none fails
  // `in`.
  void save(snapshots::ValueWriter& out) const;
  static GraphMemory load(snapshots::ValueReader& in);

 private:
  static constexpr std::uint8_t kHides = 1;
  static constexpr std::uint8_t kHiddenFrom = 2;
  static constexpr std::uint8_t kBlocks = 4;
  static constexpr std::uint8_t kBlockedBy = 8;
  // A person's marks.
  static constexpr std::uint8_t kClosed = 1;
  static constexpr std::uint8_t kExcludes = 2;  // he is on a side of some exclusion

  struct Exclusions {
    absl::flat_hash_map<PersonIndex, std::uint8_t> towards;
    People shut_out;
  };
  // What a fan-out asks of an author lies in one cache line.
  struct alignas(core::kCacheLine) PersonFacts {
    std::unique_ptr<Exclusions> exclusions;  // null: he is on neither side of any
    PeopleArray contacts;
    PeopleArray followers;
  };
  static_assert(sizeof(PersonFacts) == core::kCacheLine);
  struct TagFacts {
    PersonIndex owner = kStranger;  // until an event names him
    bool deleted = false;
    People people;
  };
  struct GroupFacts {
    std::unique_ptr<const std::string> id;
    bool dissolved = false;
    bool open_history = false;
    People members;
  };

  static std::uint32_t number(PersonIndex i) { return static_cast<std::uint32_t>(i); }
  PersonFacts& at(PersonIndex i) { return people_[number(i)]; }
  const PersonFacts& at(PersonIndex i) const { return people_[number(i)]; }
  TagFacts& at(TagIndex i) { return tags_[static_cast<std::uint32_t>(i)]; }
  const TagFacts& at(TagIndex i) const { return tags_[static_cast<std::uint32_t>(i)]; }
  GroupFacts& at(GroupIndex i) { return groups_[static_cast<std::uint32_t>(i)]; }
  const GroupFacts& at(GroupIndex i) const { return groups_[static_cast<std::uint32_t>(i)]; }

  bool is_unsettled(const Relation& relation) const {
    return !unsettled_.empty() && unsettled_.contains(relation);
  }
  People with_unsettled(People people, Relation::Kind kind, std::uint32_t list) const;
  Exclusions& exclusions_of(PersonIndex person);
  // Of the bits in `mask`, what they are from now on; returns all bits of before.
  unsigned set_towards(PersonIndex owner, PersonIndex other, unsigned mask, unsigned bits);
  void set_shut_out(PersonIndex author, PersonIndex viewer);
  void load_people(snapshots::ValueReader& in);
  void load_tags_and_groups(snapshots::ValueReader& in);

  std::uint8_t exclusion(PersonIndex owner, PersonIndex other) const {
    if ((marks_[number(owner)] & kExcludes) == 0) return 0;
    const auto& exclusions = at(owner).exclusions;
    const auto found = exclusions->towards.find(other);
    return found == exclusions->towards.end() ? std::uint8_t{0} : found->second;
  }

  void add_person(const core::AccountId& account);

  // By number. What a page asks of each of its authors, who lie anywhere, is a mark and an id: by
  // themselves these are so small that most of them are near.
  std::vector<std::uint8_t> marks_;
  std::vector<core::AccountId> accounts_;
  std::vector<PersonFacts> people_;
  std::vector<PeopleArray> followees_;
  std::vector<TagFacts> tags_;
  std::vector<GroupFacts> groups_;
  core::ProbedMap<core::AccountId, PersonIndex> person_by_account_;
  absl::flat_hash_map<std::string, TagIndex> tag_by_id_;
  absl::flat_hash_map<std::string, GroupIndex> group_by_id_;
  absl::flat_hash_map<PersonIndex, std::vector<Membership>> memberships_;
  absl::flat_hash_map<Relation, std::uint32_t> unsettled_;  // by how many events
};

}  // namespace tideline::feed
