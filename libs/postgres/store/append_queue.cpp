#include "postgres/store/append_queue.hpp"

#include <utility>

namespace tideline::postgres {
namespace {

// The one that was answered with the last batch is likely to come again at once: a batch as large
// as that one is worth waiting for, as long as it costs less than a small batch of its own would.
constexpr std::chrono::microseconds kGathering{150};

}  // namespace

WaitingBatch& AppendQueue::batch_with_room_for(std::size_t bytes) {
  const bool room = !batches_.empty() &&
                    batches_.back()->appends.size() < limits_.batch_appends_max &&
                    batches_.back()->bytes + bytes <= limits_.batch_bytes_max;
  if (!room) {
    batches_.push_back(std::make_shared<WaitingBatch>());
    batches_.back()->appends.reserve(taken_last_);
  }
  return *batches_.back();
}

std::optional<QueuePlace> AppendQueue::push(WaitingAppend&& append) {
  QueuePlace place;
  bool enough = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || waiting_ >= limits_.queued_appends_max) return std::nullopt;
    WaitingBatch& batch = batch_with_room_for(append.bytes);
    batch.bytes += append.bytes;
    batch.appends.push_back(std::move(append));
    place = {batches_.back(), batch.appends.size() - 1};
    enough = ++waiting_ == wanted_;
  }
  if (enough) pushed_.notify_one();
  return place;
}

bool AppendQueue::withdraw(const QueuePlace& place) {
  const std::lock_guard lock(mutex_);
  for (const auto& batch : batches_) {
    if (batch != place.batch) continue;
    place.append().withdrawn = true;
    return true;
  }
  return false;
}

std::shared_ptr<WaitingBatch> AppendQueue::take(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const auto wait = [&](std::size_t wanted, auto at_most) {
    wanted_ = wanted;
    pushed_.wait_for(lock, at_most, [&] { return closed_ || waiting_ >= wanted; });
  };
  wait(1, timeout);
  if (waiting_ > 0 && waiting_ < taken_last_) wait(taken_last_, kGathering);
  if (batches_.empty()) return nullptr;
  auto taken = std::move(batches_.front());
  batches_.pop_front();
  taken_last_ = taken->appends.size();
  waiting_ -= taken_last_;
  return taken;
}

void AppendQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  pushed_.notify_all();
}

bool AppendQueue::finished() const {
  const std::lock_guard lock(mutex_);
  return closed_ && batches_.empty();
}

std::size_t AppendQueue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace tideline::postgres
