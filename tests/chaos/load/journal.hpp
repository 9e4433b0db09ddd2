// What was asked for and what was answered, on disk: the journal that the logs are held to
// afterwards.
//
// One line a command, columns separated by tabs:
//   correlation id (the Idempotency-Key is the same), kind, service, status (0 = never answered),
//   predicted status (0 = none), events (Command::events), attempts, 1 if an attempt's outcome was
//   unknown, then microseconds since 1970: begun, last attempt begun, answered; Location.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include "command.hpp"

namespace tideline::chaos {

struct Answered {
  std::string correlation_id;
  int status = 0;
  std::string location;
  int attempts = 0;
  bool was_unknown = false;
  std::int64_t begun_us = 0;
  std::int64_t last_attempt_us = 0;
  std::int64_t answered_us = 0;
};

inline constexpr std::array kServices = {"accounts", "projects", "social-graph", "feed", "scoring"};
// The kind of a line that is no command: something written was seen by reading.
inline constexpr const char* kSight = "sight";

// Microseconds since 1970.
std::int64_t now_us();

// Thread-safe.
class Journal {
 public:
  // Throws std::runtime_error when the file cannot be written.
  explicit Journal(const std::string& file);

  void write(const Command& command, const Answered& answered);
  // Answers of all attempts by status, 0 = none came. `what` was asked for, and why it failed, if
  // it did.
  void count_attempt(int status, const std::string& what);
  // What failed since the last call and how often: "STATUS WHAT". The first hundred kinds.
  std::map<std::string, std::uint64_t> take_failures();

  std::map<int, std::uint64_t> attempts() const;
  std::uint64_t commands() const;
  // Attempts that were not answered, or with 5xx.
  std::uint64_t failures() const;
  // Every service has shown something that was written after this; 0 until each has.
  std::int64_t all_seen_since_us() const;
  // To the file, without sync: it must outlive this process, not the machine.
  void flush();

 private:
  mutable std::mutex mutex_;
  std::ofstream file_;
  std::uint64_t commands_ = 0;
  std::map<std::string, std::int64_t> last_sight_us_;  // by service
  std::map<int, std::uint64_t> attempts_;
  std::map<std::string, std::uint64_t> new_failures_;
};

}  // namespace tideline::chaos
