#include "demo/progress.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tideline::demo {

std::string Progress::during(std::size_t done, Time now) {
  if (terminal_) return "\r" + bar(done, now);
  if (now < next_line_) return "";
  while (next_line_ <= now) next_line_ += kProgressLineEvery;
  return bar(done, now) + "\n";
}

std::string Progress::at_end(std::size_t done, Time now) const {
  return (terminal_ ? "\r" : "") + bar(done, now) + "\n";
}

std::string Progress::bar(std::size_t done, Time now) const {
  constexpr std::size_t kWidth = 32;
  const std::size_t filled = count_ == 0 ? kWidth : std::min(kWidth, done * kWidth / count_);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), "  %-34s [%s%s] %6zu/%zu  %7.0f/s", title_.c_str(),
                std::string(filled, '#').c_str(), std::string(kWidth - filled, '.').c_str(), done,
                count_, rate);
  return line.data();
}

}  // namespace tideline::demo
