// Looks at the tables of points from outside while they are written: each look is one statement,
// so one moment, with the checkpoint that belongs to it. Whatever is committed apart from its
// checkpoint is seen between the two commits, without anything being killed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "postgres/connections/database.hpp"

namespace tideline::crash {

class ScoreWatcher {
 public:
  struct Sums {
    std::int64_t points = 0;  // of table score, and deferred
    std::int64_t earned = 0;  // of table day_score: the same
    friend bool operator==(const Sums&, const Sums&) = default;
  };
  // The last position of each service's log whose effect is committed.
  using Checkpoint = std::map<std::pair<std::string, std::uint32_t>, std::uint64_t>;

  // Looks until stop(); the tables must be there.
  explicit ScoreWatcher(const postgres::DatabaseOptions& options);

  // Ends looking; the rest may be asked for then.
  void stop();
  // What the tables held at each checkpoint that was seen.
  const std::map<Checkpoint, Sums>& seen() const { return seen_; }
  // One checkpoint, two different sums.
  const std::vector<std::string>& contradictions() const { return contradictions_; }

 private:
  void look(postgres::PooledDatabase& database);

  std::map<Checkpoint, Sums> seen_;
  std::vector<std::string> contradictions_;
  std::jthread thread_;  // ends before what it writes to
};

}  // namespace tideline::crash
