// Small files with keys. Private to this folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.hpp"

namespace tideline::crypto {

constexpr std::size_t kKeyFileBytesMax = 64 * 1024;

// Blocks. NotFound: no readable file; InvalidInput: more than kKeyFileBytesMax.
core::Result<std::string> read_key_file(const std::filesystem::path& path);

}  // namespace tideline::crypto
