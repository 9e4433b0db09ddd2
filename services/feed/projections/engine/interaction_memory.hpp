// Who has liked or bookmarked which moment, who has commented on it, and how often its text was
// edited, in memory and without texts: what decides whom they are shown to and how many there are.
// Lies apart from the moments, most of which have nothing of it; events of a moment and of what
// belongs to it come in any order. Not synchronized: FeedState::mutex guards it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "feed/projections/engine/graph_memory.hpp"
#include "snapshots/value_stream.hpp"

namespace tideline::feed {

struct CommentFacts {
  core::CommentId id;
  core::CommentId parent;  // 0: on the moment itself
  PersonIndex author = GraphMemory::kStranger;
  // Written under a position token that has not been applied here yet: its author alone sees it.
  bool held = false;
  bool hidden = false;  // by a moderator: its author alone sees it
};

struct MomentInteractions {
  PeopleArray likers;
  PeopleArray bookmarkers;             // each is told of himself alone
  std::vector<CommentFacts> comments;  // ascending by id, without those that are deleted
  std::uint32_t edits = 0;
  std::uint32_t held_edits = 0;  // bit n - 1: the n-th waits as a comment does

  // An edit is shown when none up to it waits. 0: the text as it was published.
  std::uint32_t edits_shown_to(bool author) const;
  const CommentFacts* find(core::CommentId id) const;
};

class InteractionMemory {
 public:
  void set_liked(core::MomentId moment, PersonIndex person, bool is);
  void set_bookmarked(core::MomentId moment, PersonIndex person, bool is);
  // A repeated id changes nothing.
  void add_comment(core::MomentId moment, const CommentFacts& comment);
  void remove_comment(core::MomentId moment, core::CommentId id);
  void add_edit(core::MomentId moment, std::uint32_t edit, bool held);
  // What is gone meanwhile has nothing to be released.
  void release_comment(core::MomentId moment, core::CommentId id);
  void set_comment_hidden(core::MomentId moment, core::CommentId id, bool is);
  void release_edit(core::MomentId moment, std::uint32_t edit);

  const MomentInteractions& of(core::MomentId moment) const;
  // Tells the processor that of() will be asked.
  void prefetch(core::MomentId moment) const { by_moment_.prefetch(moment.value()); }

  void save(snapshots::ValueWriter& out) const;
  // Of people of that graph; what is none fails `in`.
  static InteractionMemory load(snapshots::ValueReader& in, const GraphMemory& graph);

 private:
  absl::flat_hash_map<std::uint64_t, MomentInteractions> by_moment_;
};

}  // namespace tideline::feed
