#include "core/zeroed_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

namespace tideline::core {
namespace {

std::uint8_t* bytes_of(const ZeroedPages& pages) {
  return static_cast<std::uint8_t*>(pages.data());
}

TEST(ZeroedPagesTest, AreZeroToTheLastByteAndCanBeWritten) {
  for (const PageSize size : {PageSize::Usual, PageSize::Large}) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4'097}, kLargePage + 1}) {
      const ZeroedPages pages(bytes, size);
      std::uint8_t* const first = bytes_of(pages);
      EXPECT_TRUE(std::all_of(first, first + bytes, [](std::uint8_t byte) { return byte == 0; }));
      std::fill(first, first + bytes, std::uint8_t{7});
      EXPECT_EQ(first[bytes - 1], 7);
    }
  }
}

TEST(ZeroedPagesTest, LargeOnesBeginAtALargePage) {
  // Several, so that not all happen to lie well.
  for (int i = 0; i < 5; ++i) {
    const ZeroedPages astray(4'096, PageSize::Usual);
    const ZeroedPages pages(kLargePage, PageSize::Large);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.data()) % kLargePage, 0U);
  }
}

TEST(ZeroedPagesTest, HaveOneOwner) {
  ZeroedPages first(4'096, PageSize::Usual);
  bytes_of(first)[5] = 9;
  ZeroedPages second(std::move(first));
  EXPECT_EQ(first.data(), nullptr);
  ASSERT_EQ(bytes_of(second)[5], 9);
  ZeroedPages third(4'096, PageSize::Usual);
  third = std::move(second);
  EXPECT_EQ(bytes_of(third)[5], 9);
}

TEST(ZeroedPagesTest, RefusesWhatTheSystemRefuses) {
  EXPECT_THROW(ZeroedPages(std::numeric_limits<std::size_t>::max() / 2, PageSize::Usual),
               std::bad_alloc);
}

}  // namespace
}  // namespace tideline::core
