// Who is whose contact, follows, excludes, tags and is in which group, as facts in memory.
//
// Each fact is the last event of one stream, and the events of a stream come in order, so it takes
// no version to reach the same facts in every interleaving of logs. Nothing cascades: removing a
// contact leaves tags, exclusions and memberships as they are.
//
// People, tags and groups are named by small numbers, given out at their first mention. Not
// synchronized: FeedEngine guards it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/prefetch.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {

enum class PersonIndex : std::uint32_t {};
enum class TagIndex : std::uint32_t {};
enum class GroupIndex : std::uint32_t {};

using People = absl::flat_hash_set<PersonIndex>;
// Ascending, each once: four bytes a person, and a fan-out reads them in one go.
using PeopleArray = std::vector<PersonIndex>;

inline bool holds(const PeopleArray& people, PersonIndex person) {
  return std::binary_search(people.begin(), people.end(), person);
}

// Whether he is in it, from now on.
void set(PeopleArray& people, PersonIndex person, bool is);

class GraphMemory {
 public:
  using Person = PersonIndex;
  using Tag = TagIndex;
  using Group = GroupIndex;

  // Somebody whom no event has named: related to nobody.
  static constexpr PersonIndex kStranger{0};

  GraphMemory();

  PersonIndex person(const core::AccountId& account);
  TagIndex tag(std::string_view tag_id);
  GroupIndex group(std::string_view group_id);

  // Tells the processor that somebody publishes: where his contacts are.
  void prefetch_facts(PersonIndex person) const { core::prefetch(&at(person)); }
  void prefetch_contacts(PersonIndex person) const {
    constexpr std::size_t kLinesAtFirst = 8;
    constexpr std::size_t kLinePeople = 64 / sizeof(PersonIndex);
    const PeopleArray& contacts = at(person).contacts;
    for (std::size_t i = 0; i < std::min(contacts.size(), kLinesAtFirst * kLinePeople);
         i += kLinePeople) {
      core::prefetch(&contacts[i]);
    }
  }

  PersonIndex find_person(const core::AccountId& account) const;  // kStranger if never named
  std::optional<GroupIndex> find_group(std::string_view group_id) const;
  const core::AccountId& account_of(PersonIndex person) const { return at(person).account; }

  void close(PersonIndex person) { at(person).closed = true; }
  void set_contacts(PersonIndex one, PersonIndex other, bool are);
  void set_follows(PersonIndex follower, PersonIndex followee, bool does);
  void set_exclusion(PersonIndex owner, PersonIndex other, bool hides, bool hidden_from);
  void set_tagged(PersonIndex owner, TagIndex tag, PersonIndex person, bool is);
  void delete_tag(TagIndex tag) { at(tag).deleted = true; }
  void set_member(GroupIndex group, PersonIndex person, bool is);
  void dissolve(GroupIndex group) { at(group).dissolved = true; }

  // What the predicates ask (feed/domain/visibility.hpp).
  bool is_closed(PersonIndex person) const { return at(person).closed; }
  bool are_contacts(PersonIndex one, PersonIndex other) const {
    return holds(at(one).contacts, other);
  }
  bool is_following(PersonIndex follower, PersonIndex followee) const {
    return holds(at(follower).followees, followee);
  }
  bool hides(PersonIndex owner, PersonIndex other) const {
    return (exclusion(owner, other) & kHides) != 0;
  }
  bool is_hidden_from(PersonIndex owner, PersonIndex other) const {
    return (exclusion(owner, other) & kHiddenFrom) != 0;
  }
  bool has_tagged(PersonIndex owner, TagIndex tag, PersonIndex person) const;
  bool is_member(GroupIndex group, PersonIndex person) const {
    return !at(group).dissolved && at(group).members.contains(person);
  }

  const PeopleArray& contacts_of(PersonIndex person) const { return at(person).contacts; }
  const PeopleArray& followers_of(PersonIndex person) const { return at(person).followers; }
  const PeopleArray& followees_of(PersonIndex person) const { return at(person).followees; }
  // Those who hide the author, and those whom he hides from: mostly nobody.
  const People& shut_out_of(PersonIndex author) const { return at(author).shut_out; }
  std::size_t people() const { return people_.size(); }  // kStranger is one
  std::size_t tags() const { return tags_.size(); }
  std::size_t groups() const { return groups_.size(); }
  const People& tagged_with(TagIndex tag) const { return at(tag).people; }
  // Also of a dissolved group; is_member() looks at the flag.
  const People& ever_kept_members(GroupIndex group) const { return at(group).members; }

  // All of it, and back with the same numbers. load() of what is none fails `in`.
  void save(snapshots::ValueWriter& out) const;
  static GraphMemory load(snapshots::ValueReader& in);

 private:
  static constexpr std::uint8_t kHides = 1;
  static constexpr std::uint8_t kHiddenFrom = 2;

  struct PersonFacts {
    core::AccountId account;
    bool closed = false;
    PeopleArray contacts;
    PeopleArray followers;
    PeopleArray followees;
    People shut_out;
    absl::flat_hash_map<PersonIndex, std::uint8_t> exclusions;  // of this owner, towards others
  };
  struct TagFacts {
    PersonIndex owner = kStranger;  // until the first tagging names him
    bool deleted = false;
    People people;
  };
  struct GroupFacts {
    bool dissolved = false;
    People members;
  };

  PersonFacts& at(PersonIndex i) { return people_[static_cast<std::uint32_t>(i)]; }
  const PersonFacts& at(PersonIndex i) const { return people_[static_cast<std::uint32_t>(i)]; }
  TagFacts& at(TagIndex i) { return tags_[static_cast<std::uint32_t>(i)]; }
  const TagFacts& at(TagIndex i) const { return tags_[static_cast<std::uint32_t>(i)]; }
  GroupFacts& at(GroupIndex i) { return groups_[static_cast<std::uint32_t>(i)]; }
  const GroupFacts& at(GroupIndex i) const { return groups_[static_cast<std::uint32_t>(i)]; }

  void set_shut_out(PersonIndex author, PersonIndex viewer);
  void load_people(snapshots::ValueReader& in);
  void load_tags_and_groups(snapshots::ValueReader& in);

  std::uint8_t exclusion(PersonIndex owner, PersonIndex other) const {
    const auto& exclusions = at(owner).exclusions;
    const auto found = exclusions.find(other);
    return found == exclusions.end() ? std::uint8_t{0} : found->second;
  }

  std::vector<PersonFacts> people_;
  std::vector<TagFacts> tags_;
  std::vector<GroupFacts> groups_;
  absl::flat_hash_map<core::AccountId, PersonIndex, std::hash<core::AccountId>> person_by_account_;
  absl::flat_hash_map<std::string, TagIndex> tag_by_id_;
  absl::flat_hash_map<std::string, GroupIndex> group_by_id_;
};

}  // namespace tideline::feed
