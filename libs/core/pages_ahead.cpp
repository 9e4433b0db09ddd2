#include "core/pages_ahead.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <stop_token>
#include <utility>

#include "core/zeroed_pages.hpp"

namespace tideline::core {
namespace {

constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers do not know

void make_all(const std::stop_token& stop, const std::vector<std::span<std::byte>>& all) {
  for (std::span<std::byte> pages : all) {
    while (!pages.empty() && !stop.stop_requested()) {
      const std::size_t part = std::min(pages.size(), kLargePage);
      ::madvise(pages.data(), part, kPopulateWrite);
      pages = pages.subspan(part);
    }
  }
}

}  // namespace

PagesAhead::PagesAhead(std::vector<std::span<std::byte>> pages)
    : thread_([pages = std::move(pages)](const std::stop_token& stop) { make_all(stop, pages); }) {}

}  // namespace tideline::core
