// What people, tags and groups are called in memory, and the facts between them by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tideline::feed {

enum class PersonIndex : std::uint32_t {};
enum class TagIndex : std::uint32_t {};
enum class GroupIndex : std::uint32_t {};

// One fact of the graph, whether it is so or not.
struct Relation {
  enum class Kind : std::uint8_t {
    None,
    Contacts,    // two people, the lower number first
    Follows,     // the follower, the followee
    Hides,       // an owner, whom he does not want to see
    HiddenFrom,  // an owner, by whom he does not want to be seen
    Tagged,      // a tag, a person
    TagEnd,      // a tag
    Member,      // a group, a person
    GroupEnd,    // a group
    Blocks,      // who blocks, who is blocked
    History,     // a group
  };

  Kind kind = Kind::None;
  std::uint32_t one = 0;
  std::uint32_t other = 0;

  static Relation contacts(PersonIndex one, PersonIndex other) {
    return of(Kind::Contacts, std::min(one, other), std::max(one, other));
  }
  static Relation follows(PersonIndex follower, PersonIndex followee) {
    return of(Kind::Follows, follower, followee);
  }
  static Relation hides(PersonIndex owner, PersonIndex other) {
    return of(Kind::Hides, owner, other);
  }
  static Relation hidden_from(PersonIndex owner, PersonIndex other) {
    return of(Kind::HiddenFrom, owner, other);
  }
  static Relation tagged(TagIndex tag, PersonIndex person) { return of(Kind::Tagged, tag, person); }
  static Relation tag_end(TagIndex tag) { return of(Kind::TagEnd, tag, PersonIndex{0}); }
  static Relation member(GroupIndex group, PersonIndex person) {
    return of(Kind::Member, group, person);
  }
  static Relation group_end(GroupIndex group) { return of(Kind::GroupEnd, group, PersonIndex{0}); }
  static Relation history(GroupIndex group) { return of(Kind::History, group, PersonIndex{0}); }
  static Relation blocks(PersonIndex by, PersonIndex other) { return of(Kind::Blocks, by, other); }

  friend bool operator==(const Relation&, const Relation&) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const Relation& relation) {
    return Hash::combine(std::move(hash), relation.kind, relation.one, relation.other);
  }

 private:
  template <class One>
  static Relation of(Kind kind, One one, PersonIndex other) {
    return {kind, static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(other)};
  }
};

}  // namespace tideline::feed
