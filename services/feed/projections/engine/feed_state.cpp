#include "feed/projections/engine/feed_state.hpp"

#include <cstdint>
#include <utility>

namespace tideline::feed {

FeedState::FeedState(FeedEngineOptions given)
    : options(std::move(given)),
      timelines(options.timeline_length_max, options.timeline_bytes_max),
      shards(std::make_unique<std::array<Shard, kShards>>()) {
  timelines.resize(memory.graph.people());
}

void FeedState::replace(FeedMemory restored) {
  memory = std::move(restored);
  anything_held = !memory.holdback.empty();
  timelines.clear();
  timelines.resize(memory.graph.people());
  // What a viewer may see of what was before is not known of anybody.
  for (std::uint32_t number = 0; number < timelines.size(); ++number) {
    timelines.cool_down(static_cast<PersonIndex>(number));
  }
  for (Shard& shard : *shards) shard.pending.clear();
}

void FeedState::make_room(std::size_t arrays) {
  const auto cold = timelines.make_room(arrays);
  for (const PersonIndex viewer : cold) shard_at(viewer).pending.erase(viewer);
  count_evictions(cold.size());
}

void FeedState::count_evictions(std::size_t count) {
  evictions += count;
  if (options.on_evictions) options.on_evictions(count);
}

}  // namespace tideline::feed
