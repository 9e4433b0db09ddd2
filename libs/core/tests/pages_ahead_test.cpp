#include "core/pages_ahead.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "core/zeroed_pages.hpp"

namespace tideline::core {
namespace {

constexpr std::size_t kPages = 4'000;  // some large ones, where the system makes such unasked
constexpr std::size_t kPage = 4'096;

std::span<std::byte> all_of(const ZeroedPages& pages) {
  return {static_cast<std::byte*>(pages.data()), pages.size()};
}

// How many of the pages the system has made.
std::size_t made(const ZeroedPages& pages) {
  std::vector<unsigned char> there(pages.size() / kPage);
  EXPECT_EQ(::mincore(pages.data(), pages.size(), there.data()), 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(there, [](unsigned char page) { return (page & 1U) != 0; }));
}

TEST(PagesAhead, AreMadeWithoutAChange) {
  ASSERT_EQ(::sysconf(_SC_PAGESIZE), kPage);
  const ZeroedPages first(kPages * kPage, PageSize::Usual);
  const ZeroedPages second(kPages * kPage, PageSize::Usual);
  auto* const byte = static_cast<std::uint8_t*>(first.data()) + kPage * 7;
  *byte = 42;
  ASSERT_LT(made(first), kPages);
  const PagesAhead ahead({all_of(first), all_of(second).first(kPages / 2 * kPage)});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (made(second) < kPages / 2 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(made(first), kPages);
  EXPECT_GE(made(second), kPages / 2);
  EXPECT_LT(made(second), kPages) << "it was asked for one half";
  EXPECT_EQ(*byte, 42);
}

TEST(PagesAhead, EndWithTheirOwner) {
  const ZeroedPages pages(std::size_t{2} << 30U, PageSize::Large);
  { const PagesAhead ahead({all_of(pages)}); }
  EXPECT_LT(made(pages), pages.size() / kPage);
}

}  // namespace
}  // namespace tideline::core
