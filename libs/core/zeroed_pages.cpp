#include "core/zeroed_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace tideline::core {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  static const auto kUsualPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + kUsualPage - 1) / kUsualPage * kUsualPage;
}

std::byte* map(std::size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(mapped);
}

// What lies before the first large page and behind the last byte is given back.
std::byte* map_large(std::size_t bytes) {
  std::byte* const mapped = map(bytes + kLargePage);
  const std::size_t astray = reinterpret_cast<std::uintptr_t>(mapped) % kLargePage;
  const std::size_t before = astray == 0 ? 0 : kLargePage - astray;
  if (before > 0) ::munmap(mapped, before);
  std::byte* const begin = mapped + before;
  ::munmap(begin + bytes, kLargePage - before);
  // Where the system has none these are usual pages, only slower.
  ::madvise(begin, bytes, MADV_HUGEPAGE);
  return begin;
}

}  // namespace

ZeroedPages::ZeroedPages(std::size_t bytes, PageSize pages) : bytes_(whole_pages(bytes)) {
  data_ = pages == PageSize::Large ? map_large(bytes_) : map(bytes_);
}

ZeroedPages::~ZeroedPages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace tideline::core
