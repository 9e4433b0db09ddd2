// What laws over random histories have in common: how many there are, what they are drawn from, and
// the order in which their events arrive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "histories.hpp"

namespace tideline::feed::testing {

// So many by default; else a part of TIDELINE_FEED_HISTORIES, by what one costs: one in `share`.
inline int history_count(int by_default, int share) {
  const char* wanted = std::getenv("TIDELINE_FEED_HISTORIES");
  return wanted == nullptr ? by_default : std::atoi(wanted) / share;
}

// The seed is printed.
inline std::mt19937 seeded_numbers() {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  return std::mt19937(seed);
}

// Of 300 doings, and up to `more`.
inline History draw_history(std::mt19937& numbers, std::uint32_t more) {
  std::vector<std::uint32_t> tape(300 + numbers() % more);
  for (auto& number : tape) number = static_cast<std::uint32_t>(numbers());
  return History(tape);
}

// All events: those of each log in their order, the logs in some interleaving.
inline std::vector<eventsourcing::RecordedEvent> interleaved(
    const std::vector<eventsourcing::RecordedEvent>& events, std::mt19937& numbers) {
  std::map<std::pair<std::string, core::LogIndex>, std::vector<eventsourcing::RecordedEvent>> logs;
  for (const auto& event : events) logs[{event.source, event.log}].push_back(event);
  for (auto& [log, of_log] : logs) std::reverse(of_log.begin(), of_log.end());
  std::vector<eventsourcing::RecordedEvent> arriving;
  while (!logs.empty()) {
    const auto log = std::next(logs.begin(), static_cast<std::ptrdiff_t>(numbers() % logs.size()));
    arriving.push_back(std::move(log->second.back()));
    log->second.pop_back();
    if (log->second.empty()) logs.erase(log);
  }
  return arriving;
}

}  // namespace tideline::feed::testing
