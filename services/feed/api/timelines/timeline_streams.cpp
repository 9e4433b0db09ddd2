#include "feed/api/timelines/timeline_streams.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace tideline::feed {
namespace {

using eventsourcing::PositionVector;
using Ids = std::vector<core::MomentId>;

constexpr std::string_view kNothing = "{}";

http::Event about(const char* type, core::MomentId id) {
  return {"", type, nlohmann::json{{"id", core::to_string(id)}}.dump()};
}

// Unlike PositionVector::covers() it misses what `seen` does not name.
bool has_seen_all(const PositionVector& seen, const PositionVector& applied) {
  PositionVector both = seen;
  both.join(applied);
  return both == seen;
}

}  // namespace

std::shared_ptr<http::EventStream> TimelineStreams::open(
    const core::AccountId& viewer, const std::optional<std::string_view>& last_event_id) {
  auto stream = std::make_shared<http::EventStream>();
  Live live{viewer, stream, {}, {}, {}};
  const Changes all = advance(live);
  const auto seen = PositionVector::from_token(last_event_id.value_or(""));
  if (!last_event_id || (seen && has_seen_all(*seen, live.position))) {
    tell(*stream, live, {});
  } else {
    stream->send({"", "reset", std::string(kNothing)});
    tell(*stream, live, all);
  }
  const std::lock_guard lock(mutex_);
  streams_.push_back(std::move(live));
  opened_.notify_all();
  return stream;
}

void TimelineStreams::round() {
  const bool is_fresh = ports_.freshness.is_fresh();
  const PositionVector applied = ports_.engine_applied.current();
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](Live& live) {
    const auto stream = live.stream.lock();
    if (!stream || !stream->is_open()) return true;
    if (!is_fresh || stream->token_ended() || !ports_.shard_router.is_here(live.viewer)) {
      stream->close();
      return true;
    }
    if (live.position != applied) {
      const Changes changes = advance(live);
      if (!tell(*stream, live, changes)) return true;
    }
    return false;
  });
}

void TimelineStreams::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      opened_.wait(lock, stop, [&] { return !streams_.empty(); });
      // Nobody asks for this to end but the stop token.
      opened_.wait_for(lock, stop, kRoundEvery, [] { return false; });
    }
    round();
  }
}

std::size_t TimelineStreams::size() const {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

TimelineStreams::Changes TimelineStreams::advance(Live& live) const {
  // Read first: what is applied in between is in the window and looked at again.
  live.position = ports_.engine_applied.current();
  const auto [ids, has_older] = ports_.reader.newest_ids(live.viewer, kWindow);
  if (has_older) live.floor = std::max(live.floor, ids.back());
  const Ids before = std::exchange(live.window, {});
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    if (*id >= live.floor) live.window.push_back(*id);
  }
  Changes changes;
  std::ranges::set_difference(before, live.window, std::back_inserter(changes.left));
  std::ranges::set_difference(live.window, before, std::back_inserter(changes.come));
  std::erase_if(changes.left, [&](core::MomentId id) { return id < live.floor; });
  return changes;
}

bool TimelineStreams::tell(http::EventStream& stream, const Live& live, const Changes& changes) {
  for (const core::MomentId id : changes.left) stream.send(about("remove", id));
  for (const core::MomentId id : changes.come) stream.send(about("moment", id));
  return stream.send({live.position.to_token(), "position", std::string(kNothing)});
}

}  // namespace tideline::feed
