// One process answers, whichever of several is cut off, stands still or was given up for dead: a
// row of table scoring_fence, leased by it.
//
// Law: at no time do two processes answer. The row goes to nobody else before its lease ends by the
// database's clock; its holder counts itself as such for four fifths of it, from before it asked,
// by its machine's clock, which goes on while the process does not (core::time_since_boot). The law
// wants that the two clocks run at one speed, within the margin, and that a name is that of one
// process at a time: one that starts under the holder's name takes its row at once.
//
// Threads: wait() and then run() on one at a time; good_until() from any, and never blocks for
// long.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "sql/transaction.hpp"

namespace tideline::scoring {

struct FenceOptions {
  std::string holder;  // the process's name, of no other one at the same time
  // How long a holder that has died keeps others waiting, and how long the database may be away
  // before nothing is answered: four fifths of it.
  std::chrono::milliseconds lease{60'000};
};

class Fence {
 public:
  struct Ports {
    sql::Database& database;
    std::function<std::chrono::nanoseconds()> time_since_boot;
    // Another process has taken over: this one is to end, for it shares the events with that one.
    // Told once, on run()'s thread.
    std::function<void()> on_lost;
    std::function<void(std::string_view level, const std::string&)> log;  // may be empty
  };

  Fence(Ports ports, FenceOptions options);

  // Blocks until this process is the one, however long that takes.
  void wait();
  // Stays it until stop is requested, and then leaves the row to the next at once. Never throws.
  void run(std::stop_token stop);

  // One attempt each: to become the one, and to stay it. True: done. False: another is, or the
  // database does not answer.
  bool take();
  bool renew();
  void leave();

  // Until when this process may answer, since boot. In the past when it may not.
  std::chrono::nanoseconds good_until() const;

 private:
  void hold(std::chrono::nanoseconds asked_at);
  void log(std::string_view level, const std::string& text) const;

  const Ports ports_;
  const FenceOptions options_;
  std::optional<std::int64_t> generation_;  // of wait()'s and run()'s thread
  bool is_reached_ = true;
  std::atomic<std::chrono::nanoseconds> good_until_{std::chrono::nanoseconds(-1)};
};

}  // namespace tideline::scoring
