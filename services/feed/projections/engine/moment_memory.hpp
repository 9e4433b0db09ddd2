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
  std::vector<PersonIndex> users;
};

struct MomentFacts {
  core::MomentId id;
  PersonIndex author = GraphMemory::kStranger;
  Audience audience = Audience::Private;
  bool deleted = false;
  // Published under a position token that has not been applied here yet: nobody but the author
  // sees it.
  bool held = false;
  std::unique_ptr<ListedPeople> lists;  // null: none

  MomentAudience<GraphMemory> for_predicates() const;
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
  void release(core::MomentId id);

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

  std::vector<Part> parts_ = std::vector<Part>(kParts);
  std::size_t size_ = 0;
  std::vector<std::vector<core::MomentId>> by_author_;  // by number, up to the last who has any
  absl::flat_hash_map<GroupIndex, People> authors_by_group_;
};

}  // namespace tideline::feed
