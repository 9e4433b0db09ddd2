// Wakes the one that waits for appends: those of this process at once, those of others by LISTEN.
//
// Thread-safe. The listening threads, one for each database, and their connections begin with the
// first wait(). While a connection is away, waits end by their timeout: callers poll.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "postgres/connections/log_databases.hpp"

namespace tideline::postgres {

class AppendListener {
 public:
  // `databases` outlives the listener.
  explicit AppendListener(const LogDatabases& databases) : databases_(databases) {}
  ~AppendListener();

  // Returns at once when something was appended since this thread last returned from here.
  void wait(std::chrono::milliseconds timeout);
  void wake();

 private:
  void run(const std::stop_token& stop, const DatabaseOptions& database);

  const LogDatabases& databases_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::uint64_t appends_ = 0;
  std::map<std::thread::id, std::uint64_t> heard_;  // what each waiting thread knows of
  std::vector<std::jthread> threads_;
};

}  // namespace tideline::postgres
