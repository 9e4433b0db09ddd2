// The memory that many members will take, in the order in which they will touch it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/zeroed_pages.hpp"
#include "scoring/projections/engine/column.hpp"

namespace tideline::scoring {

class ReservedPages {
 public:
  // Touched first by that member, up to so many bytes.
  void add(MemberNumber first, const core::ZeroedPages& pages, std::size_t bytes) {
    pages_.push_back(
        {first, {static_cast<std::byte*>(pages.data()), std::min(bytes, pages.size())}});
  }
  std::vector<std::span<std::byte>> in_order() && {
    std::ranges::stable_sort(pages_, {}, &Part::first);
    std::vector<std::span<std::byte>> all;
    for (const Part& part : pages_) all.push_back(part.second);
    return all;
  }

 private:
  using Part = std::pair<MemberNumber, std::span<std::byte>>;

  std::vector<Part> pages_;
};

}  // namespace tideline::scoring
