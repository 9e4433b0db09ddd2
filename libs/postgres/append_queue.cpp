#include "postgres/append_queue.hpp"

#include <algorithm>

namespace tideline::postgres {

bool AppendQueue::push(const WaitingAppendPointer& append) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || waiting_.size() >= appends_max_) return false;
    waiting_.push_back(append);
  }
  pushed_.notify_one();
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
  pushed_.wait_for(lock, timeout, [&] { return closed_ || !waiting_.empty(); });
  std::vector<WaitingAppendPointer> taken;
  std::size_t bytes = 0;
  while (!waiting_.empty() && taken.size() < appends_max) {
    bytes += waiting_.front()->bytes;
    if (!taken.empty() && bytes > bytes_max) break;
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
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
