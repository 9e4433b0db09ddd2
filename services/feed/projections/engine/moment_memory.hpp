// Every moment's author and audience in memory, without its content: what visibility is decided on,
// and what pages below an array's floor are made of. Not synchronized: FeedEngine guards it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
  // A repeated id changes nothing.
  void add(MomentFacts facts);
  void remove(core::MomentId id);
  void release(core::MomentId id);

  const MomentFacts* find(core::MomentId id) const;
  // Moments of one author, ascending by id. Deleted ones stay in it.
  std::span<const core::MomentId> of_author(PersonIndex author) const;
  // Who has ever named the group in an audience: whose moments a change of its members concerns.
  const People& authors_naming(GroupIndex group) const;

  std::size_t size() const { return moments_.size(); }

  void save(snapshots::ValueWriter& out) const;
  // Of people, tags and groups of that graph; what is none fails `in`.
  static MomentMemory load(snapshots::ValueReader& in, const GraphMemory& graph);

 private:
  absl::flat_hash_map<std::uint64_t, MomentFacts> moments_;
  absl::flat_hash_map<PersonIndex, std::vector<core::MomentId>> by_author_;
  absl::flat_hash_map<GroupIndex, People> authors_by_group_;
};

}  // namespace tideline::feed
