// What the programs of the benchmarks share to say how it went.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace tideline::bench {

// The exit status of a program that has no figure to give.
inline int failed(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

// What a program prints of a run whose figure is events a second.
inline int print_rate(double events, double seconds) {
  std::printf("{\"events\":%.0f,\"seconds\":%.3f,\"events_per_s\":%.1f}\n", events, seconds,
              events / seconds);
  return 0;
}

// The value that `share` of all are not above; 0 if there are none. Reorders `values`.
inline double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace tideline::bench
