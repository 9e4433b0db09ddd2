// What a ZIP file says of itself: the names of its entries, and the content of small ones.
//
// Pure functions over bytes from outside, in bounds and linear in them. Nothing is inflated but
// what is asked for, up to the bound that is given, whatever an entry claims to hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tideline::uploads {

struct ZipEntry {
  std::string_view name;  // within the file
  std::uint32_t method = 0;
  std::size_t packed_bytes = 0;
  std::size_t offset = 0;  // of its local header
};

constexpr std::size_t kZipEntriesMax = 10'000;

// In the order of the directory. nullopt: no ZIP file from the first byte to the last, or one that
// is encrypted, in several parts, of more than 4 GiB, or of more entries than that.
std::optional<std::vector<ZipEntry>> read_zip_directory(std::string_view bytes);

// What the entry holds. nullopt: its own header names another entry or size, it is packed otherwise
// than by Deflate, it is damaged, or it holds more than `bytes_max`.
std::optional<std::string> zip_content(std::string_view bytes, const ZipEntry& entry,
                                       std::size_t bytes_max);

}  // namespace tideline::uploads
