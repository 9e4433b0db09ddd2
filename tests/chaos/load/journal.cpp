#include "journal.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace tideline::chaos {
namespace {

constexpr std::size_t kFailuresMax = 100;

bool is_failure(int status) { return status == 0 || status >= 500; }

}  // namespace

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Journal::Journal(const std::string& file) : file_(file) {
  if (!file_) throw std::runtime_error("cannot write the journal " + file);
}

void Journal::write(const Command& command, const Answered& answered) {
  const std::lock_guard lock(mutex_);
  file_ << answered.correlation_id << '\t' << command.kind << '\t' << command.service << '\t'
        << answered.status << '\t' << command.status << '\t' << command.events << '\t'
        << answered.attempts << '\t' << (answered.was_unknown ? 1 : 0) << '\t' << answered.begun_us
        << '\t' << answered.last_attempt_us << '\t' << answered.answered_us << '\t'
        << answered.location << '\n';
  if (command.kind == kSight) {
    last_sight_us_[command.service] = answered.begun_us;
  } else {
    ++commands_;
  }
}

void Journal::count_attempt(int status, const std::string& what) {
  const std::lock_guard lock(mutex_);
  ++attempts_[status];
  if (!is_failure(status)) return;
  const std::string failure = std::to_string(status) + " " + what;
  if (new_failures_.size() < kFailuresMax || new_failures_.count(failure)) ++new_failures_[failure];
}

std::map<std::string, std::uint64_t> Journal::take_failures() {
  const std::lock_guard lock(mutex_);
  return std::exchange(new_failures_, {});
}

std::map<int, std::uint64_t> Journal::attempts() const {
  const std::lock_guard lock(mutex_);
  return attempts_;
}

std::uint64_t Journal::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

std::uint64_t Journal::failures() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [status, count] : attempts_) {
    if (is_failure(status)) sum += count;
  }
  return sum;
}

std::int64_t Journal::all_seen_since_us() const {
  const std::lock_guard lock(mutex_);
  if (last_sight_us_.size() < kServices.size()) return 0;
  std::int64_t earliest = INT64_MAX;
  for (const auto& [service, moment] : last_sight_us_) earliest = std::min(earliest, moment);
  return earliest;
}

void Journal::flush() {
  const std::lock_guard lock(mutex_);
  file_.flush();
  if (!file_) throw std::runtime_error("the journal cannot be written");
}

}  // namespace tideline::chaos
