// The feed engine: fan-out when a moment is written, visibility checks when it is read.
//
// A projection in memory alone, in four parts: FeedState holds everything, FeedWriter applies
// events, Grants lets older moments appear, FeedReader answers queries.
//
// The state is the graph (contacts, follows, exclusions, tags, groups, closed accounts), every
// moment's author and audience, and for each viewer a bounded array of moment ids. Publishing
// appends the id to the array of everybody who may see it. Reading takes the newest ids and checks
// each of them: the viewer may see it and, where the viewer may have lost its author since, wants
// it. So a stale entry cannot leak, and revoking needs no clean-up. A grant (a new contact, a tag,
// ...) counts once what its writer had seen is applied, as a moment does; then the author is
// pending for the viewer, and the viewer's next read merges them. Pages below an array's floor are
// merged from the authors' moments. Likes and comments are counted and listed when they are read,
// for each viewer those of people whom the viewer meets.
//
// Arrays are kept for viewers of some shards (the first six bits of the account id), which may
// change at any time. An array that is not kept is cold: its viewer's pages are merged as those
// below a floor. One that is kept again is made by the viewer's next read, as are all arrays after
// a start from a snapshot. The answers are the same. All arrays together have a bound in bytes:
// where there is no room, those that have not been read for long become cold.
//
// Threads: load(), prefetch() and apply() on the runner's thread; keep() on one; every other member
// from any thread. A reader waits for at most one event to be applied; a writer for the reads under
// way.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventsourcing/events/position_vector.hpp"
#include "eventsourcing/projections/prefetched_events.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "feed/domain/shards.hpp"
#include "feed/projections/engine/feed_reader.hpp"
#include "feed/projections/engine/feed_state.hpp"
#include "feed/projections/engine/feed_writer.hpp"
#include "feed/projections/engine/grants.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

class FeedEngine final : public eventsourcing::Projection {
 public:
  explicit FeedEngine(FeedEngineOptions options = {}) : state_(std::move(options)) {}

  std::string_view name() const override { return "feed-engine"; }
  std::vector<std::string> sources() const override { return FeedMemory::services(); }
  bool durable() const override { return false; }
  eventsourcing::PartitionPlaces loaded_places() const override { return loaded_; }
  bool answers_from_memory() const override { return true; }
  void load(sql::Transaction& transaction) override;
  void prefetch(const eventsourcing::RecordedEvent& event) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  // The parts of prefetch() and apply() after the decoding: an event without its position.
  void prefetch_decoded(const read::Event& event) { writer_.prefetch(&event); }
  void use(const read::Event& event) { writer_.use(event); }

  // Writes what FeedMemory::load() reads. Readers go on meanwhile; the writer waits, so that it is
  // for an engine in a process of its own.
  void save(snapshots::ValueWriter& out);

  // How far the engine's runner has got, which releases moments and relations that wait for their
  // writer's token. Before the first query; `applied` outlives the engine.
  void watch(const eventsourcing::AppliedPositions& applied) { state_.applied = &applied; }

  // Whose arrays are kept; all of them before the first call. Those of other shards are emptied
  // when it returns, a few people at a time.
  void keep(const ShardSet& shards);

  // True after the runner had to begin anew, until all that was known before is known again: what
  // the engine would answer meanwhile misses facts, exclusions among them.
  bool is_rebuilding() const { return rebuilding_; }

  const FeedReader& reader() const { return reader_; }

  struct Size {
    std::size_t viewers = 0;
    std::size_t ids = 0;  // in all arrays
    std::size_t moments = 0;
    std::size_t people = 0;       // whom any event has named
    std::size_t array_bytes = 0;  // taken of the system; never above timeline_bytes_max
    std::size_t head_bytes = 0;   // what everybody costs, with an array or without
    std::size_t evictions = 0;    // arrays emptied for want of room, since the start
  };
  Size size() const;

 private:
  void replace(RestoredFeed restored);
  bool knows_all_from_before() const;
  std::size_t people() const;
  // Empties the arrays of some of the people, from that number on, if they are of these shards.
  void cool_down(const ShardSet& shards, std::size_t first, std::size_t count);

  static_assert(FanOutPrefetcher::kEvents == kPrefetchAhead);

  FeedState state_;
  Grants grants_{state_};
  FeedWriter writer_{state_, grants_};
  FeedReader reader_{state_, grants_};
  eventsourcing::PositionVector known_before_;  // when the runner last began anew
  eventsourcing::PartitionPlaces loaded_;       // where the restored memory stands
  std::atomic<bool> rebuilding_{false};
  eventsourcing::PrefetchedEvents<read::Event> prefetched_{read::read_event};
};

}  // namespace tideline::feed
