// Lets the system make pages of memory on a thread of its own, while another fills them: where much
// memory is filled at once, half of the time is the system's.
//
// Changes no byte. Pages that are there already, that have been given back meanwhile, or that this
// system cannot make ahead (before Linux 5.14) are passed over.
#pragma once

#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace tideline::core {

class PagesAhead {
 public:
  // In this order; each begins at a page.
  explicit PagesAhead(std::vector<std::span<std::byte>> pages);
  // Ends soon, wherever it is.
  ~PagesAhead() = default;
  PagesAhead(const PagesAhead&) = delete;
  PagesAhead& operator=(const PagesAhead&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace tideline::core
