// Live counts of unread notifications, in the streams of live timelines: to each open stream
//
//   notifications  {"unread":3,"more":false}   what GET /v1/notifications/unread answers now
//
// once it is open, and whenever that becomes another one: also by what is withdrawn, blocked or not
// for its viewer any more. The event has no id, so that it moves nobody's place in the timeline.
//
// Once a second the table is asked, in one statement for all viewers of this instance, for whom
// something was written, and the engine, without the table, whether it still says of the doings
// that were counted what it said then. Only where one of these differs the viewer is counted anew,
// and so many viewers a second at most. Whoever has more unread doings than are kept is counted
// anew now and then, too.
//
// Nothing is sent while the engine is not of these seconds, or under a token that has ended: a
// count says how many people have done something.
//
// Threads: add() and size() all; a round is one thread's, and blocks on the database. Streams are
// closed by TimelineStreams alone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "eventsourcing/topics/applied_positions.hpp"
#include "feed/api/freshness.hpp"
#include "feed/api/notifications/unread_notifications.hpp"
#include "http/routing/event_stream.hpp"

namespace tideline::feed {

class NotificationStreams {
 public:
  static constexpr std::chrono::seconds kRoundEvery{1};
  static constexpr std::size_t kCountsInRound = 100;
  // How many rounds a count stands of which not all doings are kept.
  static constexpr std::size_t kRoundsUnsure = 30;

  // All outlive the streams.
  struct Ports {
    UnreadSource& source;
    eventsourcing::AppliedPositions& engine_applied;
    Freshness& freshness;
  };

  explicit NotificationStreams(Ports ports) : ports_(ports) {}

  // From the next round on until it is closed.
  void add(const core::AccountId& viewer, std::weak_ptr<http::EventStream> stream);

  void round();
  // A round every kRoundEvery while there are streams.
  void run(std::stop_token stop);

  // Viewers who listen, as of the last round.
  std::size_t size() const;

 private:
  struct Listening {
    std::weak_ptr<http::EventStream> stream;
    std::optional<std::pair<std::size_t, bool>> told{};  // count, more
  };
  struct Viewer {
    std::vector<Listening> streams;
    std::optional<CountedNotifications> counted{};
    std::int64_t changes = 0;      // of the table when that was counted
    std::int64_t changes_now = 0;  // as the table has said last
    std::size_t rounds = 0;        // since then
    bool is_due = true;
  };

  void take_joined();
  void drop_gone();
  bool read_changes();
  void look_again(const core::AccountId& account, Viewer& viewer, bool has_moved);
  // As many as one round may.
  void count_due();
  void tell(Viewer& viewer) const;

  const Ports ports_;
  mutable std::mutex mutex_;  // of the two that follow it
  std::deque<std::pair<core::AccountId, std::weak_ptr<http::EventStream>>> joined_;
  std::size_t size_ = 0;
  std::condition_variable_any joined_some_;
  // The thread's that runs rounds.
  std::map<core::AccountId, Viewer> viewers_;
  std::deque<core::AccountId> due_;  // each viewer who is due, once; the longest first
  eventsourcing::PositionVector position_;
};

}  // namespace tideline::feed
