// How far a piece of work is, as text: a bar that is drawn anew on a terminal; elsewhere, where a
// log or a pipe reads along, a line every 10 s.
//
// One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tideline::demo {

inline constexpr std::chrono::seconds kProgressLineEvery{10};

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Progress(std::string title, std::size_t count, bool terminal, Time start)
      : title_(std::move(title)), count_(count), terminal_(terminal), start_(start) {}

  // What to print now, while the work goes on; "" = nothing yet.
  std::string during(std::size_t done, Time now);
  // The same when the work has ended.
  std::string at_end(std::size_t done, Time now) const;

 private:
  std::string bar(std::size_t done, Time now) const;

  std::string title_;
  std::size_t count_;
  bool terminal_;
  Time start_;
  Time next_line_ = start_ + kProgressLineEvery;
};

}  // namespace tideline::demo
