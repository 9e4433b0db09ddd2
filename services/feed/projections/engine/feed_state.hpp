// What the feed engine holds, with the locks that guard it. FeedWriter changes it, FeedReader reads
// it, Grants lets older moments appear; FeedEngine owns all of them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "eventsourcing/topics/applied_positions.hpp"
#include "feed/domain/shards.hpp"
#include "feed/domain/visibility.hpp"
#include "feed/projections/engine/feed_memory.hpp"
#include "feed/projections/engine/feed_options.hpp"
#include "feed/projections/engine/viewer_timelines.hpp"
#include "feed/projections/engine/writer_first_mutex.hpp"

namespace tideline::feed {

struct FeedState {
  struct Shard {
    // Taken by readers, who share FeedState::mutex; the writer holds that alone and needs it not.
    // Guards the arrays of the shard's viewers, too.
    mutable std::mutex mutex;
    // Authors whose older moments may have become visible: merged at the viewer's next read.
    absl::flat_hash_map<PersonIndex, People> pending;
  };

  explicit FeedState(FeedEngineOptions given);

  const FeedEngineOptions options;
  // How far the engine has got; nullptr: not known. Set before the first query.
  const eventsourcing::AppliedPositions* applied = nullptr;

  // Guards what follows. Shared by readers; held alone by whoever changes more than one array.
  mutable WriterFirstMutex mutex;
  FeedMemory memory;
  ViewerTimelines timelines;
  std::unique_ptr<std::array<Shard, kShards>> shards;
  ShardSet kept = ShardSet().set();  // whose arrays are kept

  // Under no lock.
  std::atomic<bool> anything_held{false};  // in the holdback
  std::atomic<std::size_t> evictions{0};

  // Under mutex, shared.
  Visibility<GraphMemory> visibility() const { return Visibility(memory.graph, options.rules); }
  std::size_t shard_number(PersonIndex viewer) const {
    return shard_of(memory.graph.account_of(viewer));
  }
  Shard& shard_at(PersonIndex viewer) const { return (*shards)[shard_number(viewer)]; }

  // Under mutex held alone: another memory, with every array cold.
  void replace(FeedMemory restored);
  // Under mutex held alone: room for so many arrays, of those that have not been read for long.
  void make_room(std::size_t arrays);
  // Under any lock.
  void count_evictions(std::size_t count);
};

}  // namespace tideline::feed
