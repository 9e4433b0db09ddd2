// Who may see a moment, and whose moments somebody wants: the two predicates that every route and
// the fan-out ask. They say for one viewer and one moment what the oracle of the design says as one
// query over the whole store. A third says whose likes and comments somebody meets under a moment
// that he may see.
//
// Pure templates over an AudienceGraph, so that the engine answers them from its indexes and a test
// from a handful of sets. As thread-safe as the graph; never block unless the graph does.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "feed/domain/visibility_rules.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// What the predicates ask of the world. Person, Tag and Group are whatever the graph names them by.
template <class G>
concept AudienceGraph = std::totally_ordered<typename G::Person> &&
    requires(const G& graph, typename G::Person one, typename G::Person other, typename G::Tag tag,
             typename G::Group group) {
  { graph.is_closed(one) } -> std::same_as<bool>;
  { graph.are_contacts(one, other) } -> std::same_as<bool>;
  { graph.is_following(one, other) } -> std::same_as<bool>;
  // `one` does not want to see `other`.
  { graph.hides(one, other) } -> std::same_as<bool>;
  // `one` does not want to be seen by `other`.
  { graph.is_hidden_from(one, other) } -> std::same_as<bool>;
  // `one` has blocked `other`, or `other` has blocked `one`.
  { graph.are_apart(one, other) } -> std::same_as<bool>;
  // `one` has put the tag, which is his own and not deleted, on `other`.
  { graph.has_tagged(one, tag, other) } -> std::same_as<bool>;
  // False for everybody once the group is dissolved.
  { graph.is_member(group, one) } -> std::same_as<bool>;
  // The same of what may or may not be so: where it is certain, both say one thing. Of the others a
  // graph that is not certain gives the answer that shows less.
  { graph.may_have_tagged(one, tag, other) } -> std::same_as<bool>;
  { graph.may_be_member(group, one) } -> std::same_as<bool>;
};

// Of a moment, what its visibility depends on. The lists count only for the two partly audiences.
template <class G>
struct MomentAudience {
  typename G::Person author;
  Audience audience = Audience::Private;
  std::span<const typename G::Group> groups;
  std::span<const typename G::Tag> tags;
  std::span<const typename G::Person> users;  // ascending
  bool deleted = false;
};

template <AudienceGraph G>
class Visibility {
 public:
  using Person = typename G::Person;

  explicit Visibility(const G& graph, VisibilityRules rules = {}) : graph_(graph), rules_(rules) {}

  // Whether the author's settings let `viewer` see the moment, wherever he meets it.
  bool may_see(Person viewer, const MomentAudience<G>& moment) const {
    if (moment.deleted || graph_.is_closed(moment.author)) return false;
    if (rules_.own && viewer == moment.author) return true;
    if (rules_.blocks && graph_.are_apart(moment.author, viewer)) return false;
    if (rules_.exclusion && graph_.is_hidden_from(moment.author, viewer)) return false;
    if (!rules_.audience) return true;
    switch (moment.audience) {
      case Audience::Public:
        return true;
      case Audience::Private:
        return false;
      case Audience::PartlyVisible:
        return may_be_named(viewer, moment) && is_in_lists(viewer, moment, false);
      case Audience::PartlyInvisible:
        return may_be_named(viewer, moment) &&
               !(rules_.partly_invisible && is_in_lists(viewer, moment, true));
    }
    return false;
  }

  // Whether moments of `author` belong on the timeline of `viewer` at all.
  bool wants(Person viewer, Person author) const {
    if (viewer == author) return true;
    if (rules_.blocks && graph_.are_apart(viewer, author)) return false;
    if (rules_.exclusion && graph_.hides(viewer, author)) return false;
    return graph_.are_contacts(viewer, author) || graph_.is_following(viewer, author);
  }

  // Whether `viewer`, who may see the author's moment, meets what `writer` has done under it: liked
  // it or commented on it. Across a block with its author nobody does.
  bool may_meet(Person viewer, Person writer, Person moment_author) const {
    if (rules_.closed_words && graph_.is_closed(writer)) return false;
    if (viewer == writer) return rules_.own_words;
    if (rules_.blocks &&
        (graph_.are_apart(viewer, writer) || graph_.are_apart(moment_author, writer))) {
      return false;
    }
    if (writer == moment_author && rules_.authors_words) return true;
    return !rules_.known_writers || graph_.are_contacts(viewer, writer);
  }

 private:
  bool may_be_named(Person viewer, const MomentAudience<G>& moment) const {
    return !rules_.contacts_only || graph_.are_contacts(viewer, moment.author);
  }
  // What is uncertain counts if `maybe` says so.
  bool is_in_lists(Person viewer, const MomentAudience<G>& moment, bool maybe) const {
    const auto is_tagged = [&](const auto& tag) {
      return maybe ? graph_.may_have_tagged(moment.author, tag, viewer)
                   : graph_.has_tagged(moment.author, tag, viewer);
    };
    const auto is_member = [&](const auto& group) {
      return maybe ? graph_.may_be_member(group, viewer) : graph_.is_member(group, viewer);
    };
    return std::ranges::binary_search(moment.users, viewer) ||
           std::ranges::any_of(moment.tags, is_tagged) ||
           std::ranges::any_of(moment.groups, is_member);
  }

  const G& graph_;
  [[no_unique_address]] VisibilityRules rules_;
};

}  // namespace tideline::feed
