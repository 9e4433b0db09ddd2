// How much memory this process may take, for caches whose default size is a share of it: in a
// container that is the container's limit, at which the kernel ends the process.
#pragma once

#include <cstddef>
#include <filesystem>

namespace tideline::core {

// Bytes: the limit of the process's control group (version 2 or 1, as a container sees its own
// below /sys/fs/cgroup), or where there is none or a larger one, what the machine has. `root`:
// where the file system begins. Reads files; thread-safe.
std::size_t memory_limit(const std::filesystem::path& root = "/");

}  // namespace tideline::core
