#include "http/server/worker_pool.hpp"

#include <utility>

namespace tideline::http {
namespace {

thread_local bool gathering = false;

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::size_t queued_max) : queued_max_(queued_max) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::try_submit(std::shared_ptr<Task> task) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    // A thread that waits takes its task at once: only what nobody waits for is queued.
    if (stopped_ || queue_.size() >= queued_max_ + waiting_) return false;
    queue_.push_back(std::move(task));
    wake = !gathering && wants_wake();
  }
  if (wake) wanted_.notify_one();
  return true;
}

void WorkerPool::put_aside() {
  std::lock_guard lock(mutex_);
  ++aside_;
}

void WorkerPool::resume(std::shared_ptr<Task> task) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    --aside_;
    if (stopped_) return;
    queue_.push_back(std::move(task));
    wake = wants_wake();
  }
  if (wake) wanted_.notify_one();
}

void WorkerPool::gather() { gathering = true; }

void WorkerPool::flush() {
  gathering = false;
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    wake = wants_wake();
  }
  if (wake) wanted_.notify_one();
}

bool WorkerPool::wants_wake() {
  if (queue_.empty() || waiting_ == 0 || waking_) return false;
  waking_ = true;
  return true;
}

std::size_t WorkerPool::in_flight() const {
  std::lock_guard lock(mutex_);
  return queue_.size() + running_ + aside_;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !stopped_) {
      ++waiting_;
      wanted_.wait(lock);
      --waiting_;
      waking_ = false;
    }
    if (stopped_) return;
    std::shared_ptr<Task> task = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    const bool wake = wants_wake();
    lock.unlock();
    if (wake) wanted_.notify_one();
    task->run();
    task.reset();
    lock.lock();
    --running_;
  }
}

void WorkerPool::stop() {
  std::deque<std::shared_ptr<Task>> dropped;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(queue_);
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace tideline::http
