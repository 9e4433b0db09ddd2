// Every moment's author and audience in memory, without its content: what visibility is decided on,
// and what pages below an array's floor are made of. Not synchronized: FeedState::mutex guards it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/probed_map.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/domain/visibility.hpp"
#include "feed/projections/engine/graph_memory.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {

struct ListedPeople {
  std::vector<GroupIndex> groups;
  std::vector<TagIndex> tags;
  PeopleArray users;

  bool empty() const { return groups.empty() && tags.empty() && users.empty(); }
};

// An audience that still counts, for the change that has replaced it waits for what its writer had
// seen.
struct EarlierAudience {
  std::uint32_t change = 0;  // that has replaced it
  Audience audience = Audience::Private;
  ListedPeople lists;
};

struct AudienceFacts {
  ListedPeople lists;
  std::vector<EarlierAudience> earlier;  // by rising change
};

struct MomentFacts {
  core::MomentId id;
  PersonIndex author = GraphMemory::kStranger;
  Audience audience = Audience::Private;
  bool deleted : 1 = false;
  // By a moderator: as with what is held, nobody but the author sees it.
  bool hidden : 1 = false;
  // Published under a position token that has not been applied here yet: nobody but the author
  // sees it.
  bool held : 1 = false;
  std::uint8_t audience_changes = 0;
  std::unique_ptr<AudienceFacts> named;  // null: nobody is listed, and nothing earlier counts

  // By its latest audience; and by one that still counts.
  MomentAudience<GraphMemory> for_predicates() const;
  MomentAudience<GraphMemory> for_predicates(const EarlierAudience& earlier) const;
};

class MomentMemory {
 public:
  // Tells the processor that this id is about to be looked for.
  void prefetch(core::MomentId id) const { part_of(id).prefetch(id.value()); }
  // That it is about to be added.
  void prefetch_new(core::MomentId id) const { part_of(id).prefetch_new(id.value()); }
  // That one of his will be: where his ids lie; and when that is there, the place behind the
  // newest.
  void prefetch_author(PersonIndex author) const {
    const auto number = static_cast<std::uint32_t>(author);
    if (number < by_author_.size()) core::prefetch(&by_author_[number]);
  }
  void prefetch_newest(PersonIndex author) const {
    const auto ids = of_author(author);
    core::prefetch(ids.data() + ids.size());
  }
  // Returns what is known of it then: a repeated id changes nothing.
  const MomentFacts& add(MomentFacts facts);
  void remove(core::MomentId id);
  // The audience that it has from the n-th change on; if that is held, all before it count, too,
  // until it is confirmed. nullptr: this change, or a later one, is known, or the moment has gone.
  const MomentFacts* change_audience(core::MomentId id, std::uint8_t change, Audience audience,
                                     ListedPeople lists, bool held);
  void confirm_audience(core::MomentId id, std::uint32_t change);
  void release(core::MomentId id);
  void set_hidden(core::MomentId id, bool is);

  const MomentFacts* find(core::MomentId id) const { return part_of(id).find(id.value()); }
  // Moments of one author, ascending by id. Deleted ones stay in it.
  std::span<const core::MomentId> of_author(PersonIndex author) const;
  // Who has ever named the group in an audience: whose moments a change of its members concerns.
  const People& authors_naming(GroupIndex group) const;

  std::size_t size() const { return size_; }

  void save(snapshots::ValueWriter& out) const;
  // Of people, tags and groups of that graph; what is none fails `in`.
  static MomentMemory load(snapshots::ValueReader& in, const GraphMemory& graph);

 private:
  // A map that grows is laid out anew as a whole, and everybody waits for that: so there are many.
  using Part = core::ProbedMap<std::uint64_t, MomentFacts>;
  static constexpr std::size_t kParts = 256;

  // The upper bits of a product: those of an id are its time.
  static std::size_t part_number(core::MomentId id) {
    static_assert(kParts == 256);
    return static_cast<std::size_t>((id.value() * 0x9e3779b97f4a7c15U) >> 56U);
  }
  const Part& part_of(core::MomentId id) const { return parts_[part_number(id)]; }
  Part& part_of(core::MomentId id) { return parts_[part_number(id)]; }
  std::vector<core::MomentId>& ids_of(PersonIndex author);
  void note_groups(const MomentFacts& moment);

  std::vector<Part> parts_ = std::vector<Part>(kParts);
  std::size_t size_ = 0;
  std::vector<std::vector<core::MomentId>> by_author_;  // by number, up to the last who has any
  absl::flat_hash_map<GroupIndex, People> authors_by_group_;
};

}  // namespace tideline::feed
