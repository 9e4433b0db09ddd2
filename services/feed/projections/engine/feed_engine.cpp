#include "feed/projections/engine/feed_engine.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "core/check.hpp"

namespace tideline::feed {

void FeedEngine::load(sql::Transaction&) {
  // Two memories at once only where there is something to be rid of.
  replace({});
  if (!state_.options.restore) return;
  if (auto restored = state_.options.restore()) replace(*std::move(restored));
}

void FeedEngine::replace(RestoredFeed restored) {
  const std::unique_lock lock(state_.mutex);
  known_before_.join(state_.memory.known);
  state_.replace(std::move(restored.memory));
  loaded_ = std::move(restored.places);
  rebuilding_ = !knows_all_from_before();
  writer_.forget_prefetched();
}

bool FeedEngine::knows_all_from_before() const {
  auto both = known_before_;
  both.join(state_.memory.known);
  return both == state_.memory.known;
}

void FeedEngine::prefetch(const eventsourcing::RecordedEvent& event) {
  writer_.prefetch(prefetched_.prefetch(event));
}

void FeedEngine::apply(const eventsourcing::RecordedEvent& event) {
  const auto known = prefetched_.take(event);
  if (!known) return;
  const FeedEngineOptions& options = state_.options;
  if (options.before_use) options.before_use(*known);
  writer_.use(*known, event.time);
  if (options.after_use) options.after_use(*known);
  state_.memory.known.raise(event.source, event.log, event.position);
  if (rebuilding_) rebuilding_ = !knows_all_from_before();
}

void FeedEngine::flush(sql::Transaction&) { CHECK(false, "the engine has no tables"); }

void FeedEngine::save(snapshots::ValueWriter& out) {
  grants_.release_due();
  const std::shared_lock lock(state_.mutex);
  state_.memory.save(out);
}

void FeedEngine::keep(const ShardSet& shards) {
  ShardSet lost;
  {
    const std::unique_lock lock(state_.mutex);
    lost = state_.kept & ~shards;
    state_.kept = shards;
  }
  // From here on nothing becomes warm in them.
  constexpr std::size_t kAtOnce = 8'192;
  for (std::size_t first = 0; lost.any() && first < people(); first += kAtOnce) {
    cool_down(lost, first, kAtOnce);
  }
}

std::size_t FeedEngine::people() const {
  const std::shared_lock lock(state_.mutex);
  return state_.memory.graph.people();
}

// As a reader: the writer has to wait for few people, and readers of other shards for none.
void FeedEngine::cool_down(const ShardSet& shards, std::size_t first, std::size_t count) {
  const std::shared_lock lock(state_.mutex);
  std::vector<std::unique_lock<std::mutex>> locks;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    if (shards[shard]) locks.emplace_back((*state_.shards)[shard].mutex);
  }
  const std::size_t end = std::min(first + count, state_.memory.graph.people());
  for (std::size_t number = first; number < end; ++number) {
    const auto viewer = static_cast<PersonIndex>(number);
    if (!shards[state_.shard_number(viewer)]) continue;
    state_.timelines.cool_down(viewer);
    state_.shard_at(viewer).pending.erase(viewer);
  }
}

FeedEngine::Size FeedEngine::size() const {
  const std::shared_lock lock(state_.mutex);
  Size size;
  size.moments = state_.memory.moments.size();
  size.people = state_.memory.graph.people() - 1;
  std::vector<std::unique_lock<std::mutex>> all_shards;
  for (const FeedState::Shard& shard : *state_.shards) all_shards.emplace_back(shard.mutex);
  for (std::uint32_t number = 0; number < state_.timelines.size(); ++number) {
    const std::size_t ids = state_.timelines.of(static_cast<PersonIndex>(number)).size();
    size.viewers += ids > 0 ? 1 : 0;
    size.ids += ids;
  }
  size.array_bytes = state_.timelines.array_bytes();
  size.head_bytes = state_.timelines.head_bytes();
  size.evictions = state_.evictions;
  return size;
}

}  // namespace tideline::feed
