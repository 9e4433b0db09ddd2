// How the engine's memory lies in a snapshot (projections/snapshot/feed_snapshot.hpp). Another form
// needs another number there.
//
// Arrays of people are copied as they are. Numbers are looked at before anything is made of them: a
// file with right checksums may still be of a writer that was wrong.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "feed/projections/engine/feed_memory.hpp"

namespace tideline::feed {
namespace {

using snapshots::ValueReader;
using snapshots::ValueWriter;

// What of a moment fits into one byte: two bits are its audience.
constexpr std::uint8_t kAudienceBits = 3;
constexpr std::uint8_t kDeleted = 4;
constexpr std::uint8_t kHeld = 8;
constexpr std::uint8_t kHasNamed = 16;
constexpr std::uint8_t kHidden = 32;

constexpr std::size_t kPersonBytes = sizeof(core::AccountId);
constexpr std::size_t kCountBytes = sizeof(std::uint64_t);

std::uint8_t flag(bool is) { return is ? 1 : 0; }

// One of the first `count` numbers.
template <class Index>
Index take_index(ValueReader& in, std::size_t count) {
  const auto index = in.take<Index>();
  if (static_cast<std::size_t>(index) < count) return index;
  in.fail("it names somebody or something that it does not hold");
  return Index{0};
}

template <class Index>
void take_indexes(ValueReader& in, std::size_t count, std::vector<Index>& into) {
  in.take_all(into);
  const auto is_of_none = [&](Index index) { return static_cast<std::size_t>(index) >= count; };
  if (!std::ranges::any_of(into, is_of_none)) return;
  in.fail("it names somebody or something that it does not hold");
  into.clear();
}

void take_sorted(ValueReader& in, std::size_t people, PeopleArray& into) {
  in.take_all(into);
  const bool ascending =
      std::adjacent_find(into.begin(), into.end(), std::greater_equal<>()) == into.end();
  if (ascending && (into.empty() || static_cast<std::size_t>(into.back()) < people)) return;
  in.fail("people are not in order");
  into.clear();
}

void put_people(ValueWriter& out, const People& people) {
  out.put(std::uint64_t{people.size()});
  for (const PersonIndex person : people) out.put(person);
}

void take_people(ValueReader& in, std::size_t count, People& into) {
  std::vector<PersonIndex> people;
  take_indexes(in, count, people);
  into.insert(people.begin(), people.end());
}

void put_listed(ValueWriter& out, const ListedPeople& listed) {
  out.put_all(listed.groups);
  out.put_all(listed.tags);
  out.put_all(listed.users);
}

void take_listed(ValueReader& in, const GraphMemory& graph, ListedPeople& into) {
  take_indexes(in, graph.groups(), into.groups);
  take_indexes(in, graph.tags(), into.tags);
  take_sorted(in, graph.people(), into.users);
}

// Names by their numbers.
template <class Map>
std::vector<std::string_view> names_of(const Map& numbers) {
  std::vector<std::string_view> names(numbers.size());
  for (const auto& [name, number] : numbers) names[static_cast<std::uint32_t>(number)] = name;
  return names;
}

}  // namespace

// --- the graph --------------------------------------------------------------------------------

void GraphMemory::save(ValueWriter& out) const {
  out.put(std::uint64_t{people_.size() - 1});
  for (std::size_t i = 1; i < people_.size(); ++i) out.put(accounts_[i].bytes());
  for (std::size_t i = 1; i < people_.size(); ++i) {
    const PersonFacts& person = people_[i];
    out.put(flag(is_closed(static_cast<PersonIndex>(i))));
    out.put_all(person.contacts);
    out.put_all(person.followers);
    out.put_all(followees_[i]);
    out.put(std::uint64_t{person.exclusions ? person.exclusions->towards.size() : 0});
    if (!person.exclusions) continue;
    for (const auto& [other, bits] : person.exclusions->towards) {
      out.put(other);
      out.put(bits);
    }
  }
  out.put(std::uint64_t{tags_.size()});
  const auto tags = names_of(tag_by_id_);
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    out.put_text(tags[i]);
    out.put(tags_[i].owner);
    out.put(flag(tags_[i].deleted));
    put_people(out, tags_[i].people);
  }
  out.put(std::uint64_t{groups_.size()});
  const auto groups = names_of(group_by_id_);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    out.put_text(groups[i]);
    const GroupFacts& group = groups_[i];
    out.put(flag(group.dissolved));
    out.put(flag(group.open_history));
    put_people(out, group.members);
  }
  out.put(std::uint64_t{memberships_.size()});
  for (const auto& [person, memberships] : memberships_) {
    out.put(person);
    out.put(std::uint64_t{memberships.size()});
    for (const Membership& membership : memberships) {
      out.put(membership.group);
      out.put(membership.since);
    }
  }
}

GraphMemory GraphMemory::load(ValueReader& in) {
  GraphMemory graph;
  graph.load_people(in);
  graph.load_tags_and_groups(in);
  return graph;
}

void GraphMemory::load_people(ValueReader& in) {
  const std::size_t count = in.take_count(kPersonBytes);
  marks_.reserve(count + 1);
  accounts_.reserve(count + 1);
  people_.reserve(count + 1);
  followees_.reserve(count + 1);
  person_by_account_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const core::AccountId account(in.take<core::AccountId::Bytes>());
    if (account == core::AccountId()) return in.fail("somebody has nobody's id");
    person(account);
  }
  if (people_.size() != count + 1) return in.fail("somebody has two numbers");
  for (std::size_t i = 1; i < people_.size() && !in.failed(); ++i) {
    PersonFacts& facts = people_[i];
    const auto owner = static_cast<PersonIndex>(i);
    if (in.take<std::uint8_t>() != 0) close(owner);
    take_sorted(in, people_.size(), facts.contacts);
    take_sorted(in, people_.size(), facts.followers);
    take_sorted(in, people_.size(), followees_[i]);
    for (auto left = in.take_count(sizeof(PersonIndex) + 1); left > 0; --left) {
      const auto other = take_index<PersonIndex>(in, people_.size());
      const auto bits = in.take<std::uint8_t>();
      set_exclusion(owner, other, (bits & kHides) != 0, (bits & kHiddenFrom) != 0);
      // The other side has kBlockedBy of it.
      if ((bits & kBlocks) != 0) set_block(owner, other, true);
    }
  }
}

void GraphMemory::load_tags_and_groups(ValueReader& in) {
  const std::size_t tags = in.take_count(kCountBytes);
  for (std::size_t i = 0; i < tags && !in.failed(); ++i) {
    TagFacts& facts = at(tag(in.take_text()));
    facts.owner = take_index<PersonIndex>(in, people_.size());
    facts.deleted = in.take<std::uint8_t>() != 0;
    take_people(in, people_.size(), facts.people);
  }
  const std::size_t groups = in.take_count(kCountBytes);
  for (std::size_t i = 0; i < groups && !in.failed(); ++i) {
    GroupFacts& facts = at(group(in.take_text()));
    facts.dissolved = in.take<std::uint8_t>() != 0;
    facts.open_history = in.take<std::uint8_t>() != 0;
    take_people(in, people_.size(), facts.members);
  }
  if (tags_.size() != tags || groups_.size() != groups) in.fail("something has two numbers");
  const std::size_t members = in.take_count(sizeof(PersonIndex) + kCountBytes);
  for (std::size_t i = 0; i < members && !in.failed(); ++i) {
    auto& memberships = memberships_[take_index<PersonIndex>(in, people_.size())];
    memberships.resize(in.take_count(sizeof(GroupIndex) + sizeof(core::Timestamp)));
    for (Membership& membership : memberships) {
      membership.group = take_index<GroupIndex>(in, groups_.size());
      membership.since = in.take<core::Timestamp>();
    }
  }
}

// --- moments ----------------------------------------------------------------------------------

void MomentMemory::save(ValueWriter& out) const {
  out.put(std::uint64_t{size()});
  const auto authors = std::count_if(by_author_.begin(), by_author_.end(),
                                     [](const auto& ids) { return !ids.empty(); });
  out.put(static_cast<std::uint64_t>(authors));
  for (std::uint32_t author = 0; author < by_author_.size(); ++author) {
    const auto& ids = by_author_[author];
    if (ids.empty()) continue;
    out.put(static_cast<PersonIndex>(author));
    out.put_all(ids);
    for (const core::MomentId id : ids) {
      const MomentFacts& moment = *find(id);
      const auto audience = static_cast<std::uint8_t>(moment.audience);
      out.put(static_cast<std::uint8_t>(audience | (moment.deleted ? kDeleted : 0) |
                                        (moment.held ? kHeld : 0) | (moment.hidden ? kHidden : 0) |
                                        (moment.named ? kHasNamed : 0)));
      out.put(moment.audience_changes);
      if (!moment.named) continue;
      put_listed(out, moment.named->lists);
      out.put(std::uint64_t{moment.named->earlier.size()});
      for (const EarlierAudience& earlier : moment.named->earlier) {
        out.put(earlier.change);
        out.put(earlier.audience);
        put_listed(out, earlier.lists);
      }
    }
  }
}

MomentMemory MomentMemory::load(ValueReader& in, const GraphMemory& graph) {
  MomentMemory memory;
  const std::size_t count = in.take_count(sizeof(core::MomentId) + 2);
  for (Part& part : memory.parts_) part.reserve(count / kParts + count / kParts / 16);
  const std::size_t authors = in.take_count(sizeof(PersonIndex) + kCountBytes);
  memory.by_author_.resize(graph.people());
  std::vector<core::MomentId> ids;
  for (std::size_t i = 0; i < authors && !in.failed(); ++i) {
    const auto author = take_index<PersonIndex>(in, graph.people());
    in.take_all(ids);
    memory.ids_of(author).reserve(ids.size());
    for (const core::MomentId id : ids) {
      if (id == core::MomentId()) in.fail("a moment has no id");
      if (in.failed()) break;
      const auto bits = in.take<std::uint8_t>();
      MomentFacts facts;
      facts.id = id;
      facts.author = author;
      facts.audience = static_cast<Audience>(bits & kAudienceBits);
      facts.deleted = (bits & kDeleted) != 0;
      facts.held = (bits & kHeld) != 0;
      facts.hidden = (bits & kHidden) != 0;
      facts.audience_changes = in.take<std::uint8_t>();
      if ((bits & kHasNamed) != 0) {
        facts.named = std::make_unique<AudienceFacts>();
        take_listed(in, graph, facts.named->lists);
        facts.named->earlier.resize(in.take_count(sizeof(std::uint32_t) + 1 + 3 * kCountBytes));
        for (EarlierAudience& earlier : facts.named->earlier) {
          earlier.change = in.take<std::uint32_t>();
          earlier.audience = static_cast<Audience>(in.take<std::uint8_t>() & kAudienceBits);
          take_listed(in, graph, earlier.lists);
        }
      }
      memory.add(std::move(facts));
    }
  }
  if (memory.size() != count) in.fail("it has not as many moments as it says");
  return memory;
}

// --- what lies under them, what has been seen, what waits -------------------------------------

void InteractionMemory::save(ValueWriter& out) const {
  out.put(std::uint64_t{by_moment_.size()});
  for (const auto& [id, under] : by_moment_) {
    out.put(id);
    out.put_all(under.likers);
    out.put_all(under.bookmarkers);
    out.put(std::uint64_t{under.comments.size()});
    for (const CommentFacts& comment : under.comments) {
      out.put(comment.id);
      out.put(comment.parent);
      out.put(comment.author);
      out.put(flag(comment.held));
      out.put(flag(comment.hidden));
    }
    out.put(under.edits);
    out.put(under.held_edits);
  }
}

InteractionMemory InteractionMemory::load(ValueReader& in, const GraphMemory& graph) {
  constexpr std::size_t kCommentBytes = 2 * sizeof(core::CommentId) + sizeof(PersonIndex) + 2;
  InteractionMemory memory;
  const std::size_t count = in.take_count(sizeof(std::uint64_t) + 3 * kCountBytes);
  memory.by_moment_.reserve(count);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    MomentInteractions& under = memory.by_moment_[in.take<std::uint64_t>()];
    take_sorted(in, graph.people(), under.likers);
    take_sorted(in, graph.people(), under.bookmarkers);
    under.comments.resize(in.take_count(kCommentBytes));
    for (CommentFacts& comment : under.comments) {
      comment.id = in.take<core::CommentId>();
      comment.parent = in.take<core::CommentId>();
      comment.author = take_index<PersonIndex>(in, graph.people());
      comment.held = in.take<std::uint8_t>() != 0;
      comment.hidden = in.take<std::uint8_t>() != 0;
    }
    under.edits = in.take<std::uint32_t>();
    under.held_edits = in.take<std::uint32_t>();
  }
  return memory;
}

void CausalHoldback::save(ValueWriter& out) const {
  std::uint64_t count = 0;
  for (const auto& [log, held] : waiting_) count += held.size();
  out.put(count);
  for (const auto& [log, held] : waiting_) {
    for (const auto& [position, one] : held) {
      out.put(one.entry.moment);
      out.put(one.entry.edit);
      out.put(one.entry.audience);
      out.put(one.entry.comment);
      out.put(flag(one.entry.restored));
      out.put(one.entry.relation.kind);
      out.put(one.entry.relation.one);
      out.put(one.entry.relation.other);
      out.put_text(one.seen.to_token());
    }
  }
}

void CausalHoldback::load(ValueReader& in) {
  const std::size_t count = in.take_count(2 * sizeof(core::MomentId) + kCountBytes);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    HeldEntry entry;
    entry.moment = in.take<core::MomentId>();
    entry.edit = in.take<std::uint32_t>();
    entry.audience = in.take<std::uint32_t>();
    entry.comment = in.take<core::CommentId>();
    entry.restored = in.take<std::uint8_t>() != 0;
    entry.relation.kind = in.take<Relation::Kind>();
    entry.relation.one = in.take<std::uint32_t>();
    entry.relation.other = in.take<std::uint32_t>();
    auto seen = eventsourcing::PositionVector::from_token(in.take_text());
    if (!seen || !hold(entry, *std::move(seen), {})) in.fail("something waits for nothing");
  }
}

void FeedMemory::save(ValueWriter& out) const {
  graph.save(out);
  moments.save(out);
  interactions.save(out);
  out.put(std::uint64_t{seen_up_to.size()});
  for (const auto& [reader, id] : seen_up_to) {
    out.put(reader);
    out.put(id);
  }
  holdback.save(out);
  out.put_text(known.to_token());
}

void FeedMemory::load(ValueReader& in) {
  graph = GraphMemory::load(in);
  moments = MomentMemory::load(in, graph);
  interactions = InteractionMemory::load(in, graph);
  for (auto left = in.take_count(sizeof(PersonIndex) + sizeof(core::MomentId)); left > 0; --left) {
    const auto reader = take_index<PersonIndex>(in, graph.people());
    seen_up_to[reader] = in.take<core::MomentId>();
  }
  holdback.load(in);
  for (const Relation& relation : holdback.relations()) {
    if (!graph.can_name(relation))
      return in.fail("it names somebody or something that it does not hold");
    graph.unsettle(relation);
  }
  auto positions = eventsourcing::PositionVector::from_token(in.take_text());
  if (!positions) return in.fail("it does not say what it knows");
  known = *std::move(positions);
}

}  // namespace tideline::feed
