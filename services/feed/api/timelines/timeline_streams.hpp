// Live timelines: to each open stream, what comes into its viewer's timeline and what leaves it, as
// the engine applies it.
//
// A stream carries ids alone; what a moment says is read by its id, where visibility is asked
// again. What is live is a window: the newest entries of the timeline, as many as kWindow. Events
// are
//
//   moment    {"id":"..."}   is in the window
//   remove    {"id":"..."}   is not in the timeline any more
//   reset     {}             forget everything: what follows is the window from the beginning
//   position  {}             ends what belongs together; its id is the vector of applied positions
//
// Law: anyone who does as he is told has the window as it is at each "position". Who comes back
// with the id of the last one goes on from there if nothing has been applied since; else the vector
// does not say which entries he has lost meanwhile, so he is reset: every entry of the window is
// sent at least once, and none that was revoked while he was away stays.
//
// A stream is closed when the engine is not of these seconds, so that nothing leaves while a
// revocation may be under way unseen, when its token expires or is revoked
// (EventStream::token_ended), and when its
// viewer's shard is not at this instance any more.
//
// Threads: all. Nothing here waits but run(); a round in which something was applied
// costs each stream the ids of its window.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "feed/api/freshness.hpp"
#include "feed/projections/engine/feed_reader.hpp"
#include "feed/shards/shard_router.hpp"
#include "http/routing/event_stream.hpp"

namespace tideline::feed {

class TimelineStreams {
 public:
  static constexpr std::size_t kWindow = 100;
  static constexpr std::chrono::milliseconds kRoundEvery{100};

  // All outlive the streams.
  struct Ports {
    const FeedReader& reader;
    eventsourcing::AppliedPositions& engine_applied;
    Freshness& freshness;
    const ShardRouter& shard_router;
  };

  explicit TimelineStreams(Ports ports) : ports_(ports) {}

  // `last_event_id`: of the last "position" that the client has had; anything else is no id of ours
  // and resets him.
  std::shared_ptr<http::EventStream> open(const core::AccountId& viewer,
                                          const std::optional<std::string_view>& last_event_id);

  // Tells every stream what has changed since the last round, and closes those that are over.
  void round();
  // A round every kRoundEvery while there are streams.
  void run(std::stop_token stop);

  std::size_t size() const;

 private:
  struct Live {
    core::AccountId viewer;
    std::weak_ptr<http::EventStream> stream;
    std::vector<core::MomentId> window;  // ascending; what the client has
    core::MomentId floor;                // below it nothing is live
    eventsourcing::PositionVector position;
  };

  struct Changes {
    std::vector<core::MomentId> left, come;  // ascending
  };

  // The window as it is now, and what that changes.
  Changes advance(Live& live) const;
  // False when the stream is over.
  static bool tell(http::EventStream& stream, const Live& live, const Changes& changes);

  const Ports ports_;
  mutable std::mutex mutex_;
  std::condition_variable_any opened_;
  std::list<Live> streams_;
};

}  // namespace tideline::feed
