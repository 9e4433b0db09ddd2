#include "demo/worker_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "demo/progress.hpp"

namespace tideline::demo {
namespace {

using SteadyClock = std::chrono::steady_clock;

void print(const std::string& text) {
  if (text.empty()) return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

WorkerPool::WorkerPool(Endpoint endpoint, std::size_t thread_count, Traffic& traffic) {
  for (std::size_t thread = 0; thread < thread_count; ++thread) {
    clients_.push_back(std::make_unique<Client>(endpoint, traffic, thread));
  }
}

void WorkerPool::work(const std::string& title, std::size_t count,
                      const std::function<void(Client&, std::size_t)>& job,
                      std::size_t thread_count, std::size_t units) {
  Progress progress(title, units == 0 ? count : units, isatty(STDOUT_FILENO) == 1,
                    SteadyClock::now());
  const std::size_t workers = std::min({thread_count == 0 ? clients_.size() : thread_count,
                                        clients_.size(), std::max<std::size_t>(count, 1)});
  std::atomic<std::size_t> next{0};
  done_ = 0;
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t working = workers;

  const auto toil = [&](Client& client) {
    try {
      for (std::size_t i = next++; i < count && !failed; i = next++) {
        job(client, i);
        if (units == 0) step();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failed.exchange(true)) failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    --working;
    finished.notify_all();
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&toil, client = clients_[i].get()] { toil(*client); });
  }
  {
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(200), [&] { return working == 0; })) {
      print(progress.during(done_, SteadyClock::now()));
    }
  }
  threads.clear();
  print(progress.at_end(done_, SteadyClock::now()));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tideline::demo
