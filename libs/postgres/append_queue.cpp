#include "postgres/append_queue.hpp"

#include <algorithm>

namespace tideline::postgres {
namespace {

// Whoever was answered with the last batch is likely to come again at once: a batch as large as
// that one is worth waiting for, as long as it costs less than a small batch of its own would.
constexpr std::chrono::microseconds kGathering{150};

}  // namespace

bool AppendQueue::push(const WaitingAppendPointer& append) {
  bool enough = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || waiting_.size() >= appends_max_) return false;
    waiting_.push_back(append);
    enough = waiting_.size() >= wanted_;
  }
  if (enough) pushed_.notify_one();
  return true;
}

bool AppendQueue::withdraw(const WaitingAppendPointer& append) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(waiting_.begin(), waiting_.end(), append);
  if (found == waiting_.end()) return false;
  waiting_.erase(found);
  return true;
}

std::vector<WaitingAppendPointer> AppendQueue::take(std::size_t appends_max, std::size_t bytes_max,
                                                    std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const auto wait = [&](std::size_t wanted, auto at_most) {
    wanted_ = wanted;
    pushed_.wait_for(lock, at_most, [&] { return closed_ || waiting_.size() >= wanted; });
  };
  wait(1, timeout);
  if (!waiting_.empty() && waiting_.size() < taken_last_) wait(taken_last_, kGathering);
  std::vector<WaitingAppendPointer> taken;
  std::size_t bytes = 0;
  while (!waiting_.empty() && taken.size() < appends_max) {
    bytes += waiting_.front()->bytes;
    if (!taken.empty() && bytes > bytes_max) break;
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  taken_last_ = taken.size();
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
  return closed_ && waiting_.empty();
}

std::size_t AppendQueue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace tideline::postgres
