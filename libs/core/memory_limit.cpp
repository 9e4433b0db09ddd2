#include "core/memory_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace tideline::core {

std::size_t memory_limit(const std::filesystem::path& root) {
  auto limit = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
               static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  // Without a limit version 2 says "max", which is no number, and version 1 a number larger than
  // any machine.
  for (const char* file : {"memory.max", "memory/memory.limit_in_bytes"}) {
    std::ifstream text(root / "sys/fs/cgroup" / file);
    std::uint64_t bytes = 0;
    if (text >> bytes && bytes > 0) limit = std::min(limit, bytes);
  }
  return limit;
}

}  // namespace tideline::core
