// Memory straight from the system: zeroed, and each page of it costs something only once it is
// written. For arrays that are read at random and are larger than the processor's caches: in large
// pages a read misses the cache alone, not also the tables of pages.
#pragma once

#include <cstddef>
#include <utility>

namespace tideline::core {

// Large: of 2 MiB where the system has them (transparent huge pages, "madvise" or "always").
enum class PageSize { Usual, Large };

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

// Owns its pages. Movable.
class ZeroedPages {
 public:
  ZeroedPages() = default;
  // At least `bytes`, aligned to a page of that size. Throws std::bad_alloc.
  ZeroedPages(std::size_t bytes, PageSize pages);
  ~ZeroedPages();
  ZeroedPages(ZeroedPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroedPages& operator=(ZeroedPages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // nullptr: none.
  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }  // whole pages

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;  // whole pages
};

}  // namespace tideline::core
