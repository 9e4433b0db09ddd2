#include "demo/crew.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

namespace tideline::demo {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

void draw_bar(const std::string& title, std::size_t done, std::size_t count, double seconds) {
  constexpr std::size_t kWidth = 32;
  const std::size_t filled = count == 0 ? kWidth : done * kWidth / count;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::printf("\r  %-34s [%s%s] %6zu/%zu  %7.0f/s", title.c_str(), std::string(filled, '#').c_str(),
              std::string(kWidth - filled, '.').c_str(), done, count, rate);
  std::fflush(stdout);
}

}  // namespace

Crew::Crew(Endpoint endpoint, std::size_t hands, Traffic& traffic) {
  for (std::size_t hand = 0; hand < hands; ++hand) {
    clients_.push_back(std::make_unique<Client>(endpoint, traffic, hand));
  }
}

void Crew::work(const std::string& title, std::size_t count,
                const std::function<void(Client&, std::size_t)>& job, std::size_t hands,
                std::size_t units) {
  const auto start = SteadyClock::now();
  const std::size_t workers = std::min(
      {hands == 0 ? clients_.size() : hands, clients_.size(), std::max<std::size_t>(count, 1)});
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
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  {
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(200), [&] { return working == 0; })) {
      if (terminal) draw_bar(title, done_, units == 0 ? count : units, seconds_since(start));
    }
  }
  threads.clear();
  draw_bar(title, done_, units == 0 ? count : units, seconds_since(start));
  std::printf("\n");
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tideline::demo
