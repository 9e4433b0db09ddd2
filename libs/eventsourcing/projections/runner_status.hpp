// How a projection is doing: what its runner reports, and what readiness and freshness look at.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tideline::eventsourcing {

struct RunnerStatus {
  // Had every record that was there when it started; also those that other owners commit, unless it
  // answers from its own memory.
  bool caught_up_once = false;
  std::chrono::milliseconds caught_up_in{0};  // from the runner's beginning to there
  std::uint64_t applied = 0;                  // events since the start
  std::uint64_t lag = 0;                      // records not applied yet, by the last known ends
  std::uint64_t parked = 0;                   // events in the dead-letter table
  std::uint64_t passed_over = 0;              // records that were no events
  std::uint64_t rewinds = 0;                  // times it went back to the committed positions
  std::string last_problem;                   // "" = none
  // So long ago it had every record that the topics held then, and they said so themselves. It
  // grows while the brokers do not answer, a position is missing, the runner hangs, or the machine
  // sleeps. nullopt: never yet.
  std::optional<std::chrono::milliseconds> behind;
};

}  // namespace tideline::eventsourcing
