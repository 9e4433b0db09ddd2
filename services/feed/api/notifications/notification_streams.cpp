#include "feed/api/notifications/notification_streams.hpp"

#include <nlohmann/json.hpp>

namespace tideline::feed {
namespace {

http::Event event_of(const UnreadNotifications& unread) {
  return {"", "notifications",
          nlohmann::json{{"unread", unread.count}, {"more", unread.more}}.dump()};
}

bool is_gone(const std::weak_ptr<http::EventStream>& weak) {
  const auto stream = weak.lock();
  return !stream || !stream->is_open();
}

}  // namespace

void NotificationStreams::add(const core::AccountId& viewer,
                              std::weak_ptr<http::EventStream> stream) {
  const std::lock_guard lock(mutex_);
  joined_.emplace_back(viewer, std::move(stream));
  joined_some_.notify_all();
}

void NotificationStreams::round() {
  take_joined();
  drop_gone();
  if (viewers_.empty() || !ports_.freshness.is_fresh() || !read_changes()) return;
  // Read first: what is applied in between is looked at again.
  const auto applied = ports_.engine_applied.current();
  const bool has_moved = applied != position_;
  for (auto& [account, viewer] : viewers_) look_again(account, viewer, has_moved);
  position_ = applied;
  count_due();
  // The engine may have begun anew in between.
  if (!ports_.freshness.is_fresh()) {
    position_ = {};
    return;
  }
  for (auto& [account, viewer] : viewers_) tell(viewer);
}

void NotificationStreams::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      joined_some_.wait(lock, stop, [&] { return size_ > 0 || !joined_.empty(); });
      // Nobody asks for this to end but the stop token.
      joined_some_.wait_for(lock, stop, kRoundEvery, [] { return false; });
    }
    round();
  }
}

std::size_t NotificationStreams::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

void NotificationStreams::take_joined() {
  const std::lock_guard lock(mutex_);
  for (auto& [account, stream] : joined_) {
    const auto [place, is_new] = viewers_.try_emplace(account);
    if (is_new) due_.push_back(account);
    place->second.streams.push_back({std::move(stream)});
  }
  joined_.clear();
  size_ = viewers_.size();
}

void NotificationStreams::drop_gone() {
  for (auto& [account, viewer] : viewers_) {
    std::erase_if(viewer.streams, [](const Listening& one) { return is_gone(one.stream); });
  }
  std::erase_if(viewers_, [](const auto& entry) { return entry.second.streams.empty(); });
  std::erase_if(due_, [&](const core::AccountId& account) { return !viewers_.contains(account); });
  const std::lock_guard lock(mutex_);
  size_ = viewers_.size();
}

bool NotificationStreams::read_changes() {
  std::vector<core::AccountId> owners;
  owners.reserve(viewers_.size());
  for (const auto& [account, viewer] : viewers_) owners.push_back(account);
  const auto changes = ports_.source.find_changes(owners);
  if (!changes) return false;
  for (auto& [account, viewer] : viewers_) {
    const auto found = changes->find(account);
    viewer.changes_now = found == changes->end() ? 0 : found->second;
  }
  return true;
}

void NotificationStreams::look_again(const core::AccountId& account, Viewer& viewer,
                                     bool has_moved) {
  if (viewer.is_due) return;
  ++viewer.rounds;
  const bool is_unsure = !viewer.counted->asked.is_whole && viewer.rounds >= kRoundsUnsure;
  if (viewer.changes == viewer.changes_now && !is_unsure &&
      (!has_moved || ports_.source.is_as_counted(account, *viewer.counted))) {
    return;
  }
  viewer.is_due = true;
  due_.push_back(account);
}

void NotificationStreams::count_due() {
  for (std::size_t i = 0; i < kCountsInRound && !due_.empty(); ++i) {
    Viewer& viewer = viewers_.at(due_.front());
    auto counted = ports_.source.count(due_.front());
    if (!counted) return;
    viewer.counted = std::move(*counted);
    viewer.changes = viewer.changes_now;
    viewer.rounds = 0;
    viewer.is_due = false;
    due_.pop_front();
  }
}

// What waits for being counted is not told: it may be less by now.
void NotificationStreams::tell(Viewer& viewer) const {
  if (viewer.is_due) return;
  const UnreadNotifications& unread = viewer.counted->unread;
  const std::pair now(unread.count, unread.more);
  for (Listening& one : viewer.streams) {
    const auto stream = one.stream.lock();
    if (!stream || stream->token_ended() || one.told == now) continue;
    if (stream->send(event_of(unread))) one.told = now;
  }
}

}  // namespace tideline::feed
