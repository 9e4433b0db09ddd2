// What the demo shows a person at its end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "demo/campus.hpp"
#include "demo/verify.hpp"

namespace tideline::demo {

struct Measured {
  std::chrono::duration<double> whole{0};
  std::chrono::duration<double> publishing{0};  // until everybody had caught up
  std::size_t moments = 0;                      // published in that time
  std::uint64_t deliveries = 0;                 // entries of timelines that they became
  std::vector<std::chrono::microseconds> publish_to_visible;  // ascending
  std::uint64_t events = 0;                                   // 0 = not known
};

void print_summary(WorkerPool& workers, Campus& campus, const Verified& verified,
                   const Measured& measured, const Traffic& traffic);

}  // namespace tideline::demo
