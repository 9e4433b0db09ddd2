// Inside libs/http: a fixed number of threads and a bounded queue before them.
// Thread-safe; try_submit never blocks longer than for a short lock.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tideline::http {

class Task {
 public:
  virtual ~Task() = default;
  // On a worker thread. Must not throw.
  virtual void run() = 0;
};

class WorkerPool {
 public:
  WorkerPool(std::size_t threads, std::size_t queued_max);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False when the queue is full or the pool has been stopped.
  bool try_submit(std::shared_ptr<Task> task);
  // What is in flight, but waits without a thread, from put_aside() until resume(): a task that is
  // let in whatever the queue holds, since it has been accepted before. After a stop it is dropped.
  void put_aside();
  void resume(std::shared_ptr<Task> task);
  // From here to flush() the tasks that this thread submits, to whichever pool, wake nobody. A
  // worker that is woken for the first of many takes the processor from the thread that brings the
  // others, and waits for what that one still holds. Workers that are awake take tasks meanwhile.
  static void gather();
  // Wakes for what was gathered.
  void flush();
  // Queued, running and put aside.
  [[nodiscard]] std::size_t in_flight() const;
  // Drops what is queued, waits for what is running. Idempotent.
  void stop();

 private:
  void work();
  // Whether the caller must notify a thread. One is woken at a time, and wakes the next while there
  // is more: short tasks are done by few threads that stay awake, at half the CPU time.
  bool wants_wake();

  const std::size_t queued_max_;
  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<std::shared_ptr<Task>> queue_;
  std::size_t running_ = 0;
  std::size_t aside_ = 0;
  std::size_t waiting_ = 0;
  bool waking_ = false;  // a thread has been notified and has not come yet
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tideline::http
