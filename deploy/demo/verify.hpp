// Reads back through the gateway and compares with the oracle. Each function throws
// UnexpectedAnswer with the first difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/campus.hpp"

namespace tideline::demo {

struct Verified {
  std::size_t timelines = 0;
  std::size_t timeline_entries = 0;
  std::size_t pages_of_authors = 0;
  std::size_t searches = 0;
  std::size_t topics = 0;
  std::size_t bookmarks = 0;
  std::size_t notifications = 0;
  std::size_t pictures = 0;
  std::size_t reposts = 0;
  std::size_t polls = 0;
  std::size_t scores = 0;
};

// Timelines, whole and in order, of `sample` people drawn by the seed and of the `top` with most
// contacts; author pages as others see them; points of everybody; the calendar of the sample.
Verified verify(WorkerPool& workers, Campus& campus, std::size_t sample, std::size_t top,
                std::uint64_t seed);

}  // namespace tideline::demo
