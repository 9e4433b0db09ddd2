// One instance's part of the shards: rows of table feed_shard that it leases, claims and gives up.
//
// Law: at no time do two instances have the same shard, whichever of them stands still, sleeps or
// is cut off. A row is let to nobody else before its lease ends by the database's clock; its owner
// counts it as its own for a shorter time, from before it asked, by its machine's clock, which goes
// on while the process does not (core::time_since_boot). So who wakes knows at once that he has
// nothing. The law wants that the two clocks run at one speed, within the margin, and that a name
// is that of one process: one that starts frees what was left under its name.
//
// A name's shards are freed by its leaving, or when its leases end. Comings, goings and failures
// are seen at the next look; domain/shards.hpp says who is to have how many.
//
// Threads: run() on one; everything else from any, and never blocks for longer than a short lock.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "feed/domain/shards.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

struct ShardLeaseOptions {
  std::string instance;  // its name, of no other process at the same time
  std::string address;   // host:port, where other instances reach it
  // How long a dead instance's shards stay without an owner, and how long the database may be away
  // before this one's are without: four fifths of it.
  std::chrono::milliseconds lease{5'000};
};

class ShardLeases {
 public:
  struct Ports {
    sql::Database& database;
    std::function<std::chrono::nanoseconds()> time_since_boot;
    // Whether the instance could answer for a shard; else it takes no part.
    std::function<bool()> can_serve;
    // Told after each change, on run()'s thread: whose timelines to keep. A shard that is given up
    // or was lost is not answered for any more by then.
    std::function<void(const ShardSet&)> on_change;
    std::function<void(std::string_view level, const std::string&)> log;  // may be empty
  };

  ShardLeases(Ports ports, ShardLeaseOptions options);

  // Looks at the rows until stop is requested, and then leaves. Never throws.
  void run(std::stop_token stop);
  // One look: renews, claims, gives up.
  void look();
  // Gives everything up. What it had others may claim at once.
  void leave();

  ShardPlace find(std::size_t shard) const;
  std::size_t held_count() const;
  // Whether it has taken part: from then on it has its share, or gets it from the others.
  bool has_joined() const;

  // Calls back once, on run()'s thread, after the next look; at once when too many wait, when
  // nobody looks any more, or the rows have been out of reach for a lease.
  void after_next_look(std::function<void()> then);

 private:
  using Generations = std::map<std::size_t, std::int64_t>;

  // What one transaction found.
  struct Rows {
    ShardSet renewed;
    ShardTable table;
    std::map<std::string, std::string> addresses;  // of the instances that live
  };

  Rows exchange(sql::Transaction& transaction) const;
  ShardSet claim(sql::Transaction& transaction, const ShardSet& wanted, Generations& claimed) const;
  void free(sql::Transaction& transaction, const ShardSet& shards) const;
  void carry_out(const ShardPlan& plan, ShardSet held, std::chrono::nanoseconds asked_at);
  // What is held from now on. `asked_at`: before the oldest of their leases was asked for.
  void hold(const ShardSet& shards, std::chrono::nanoseconds asked_at);
  std::chrono::milliseconds pause() const;
  void call_waiting();
  void log(std::string_view level, const std::string& text) const;

  const Ports ports_;
  const ShardLeaseOptions options_;

  // Of run()'s thread.
  Generations generations_;  // of each shard that it may still have
  bool is_settled_ = false;
  bool is_connected_ = true;

  mutable std::mutex mutex_;
  ShardSet held_;
  std::chrono::nanoseconds held_until_{0};  // since boot
  ShardTable seen_;
  std::map<std::string, std::string> addresses_;
  std::chrono::nanoseconds seen_at_{0};
  bool has_joined_ = false;
  bool is_looking_ = true;
  std::vector<std::function<void()>> waiting_;
  std::condition_variable_any stopped_;
};

}  // namespace tideline::feed
