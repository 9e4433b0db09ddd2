#include "uploads/zip_directory.hpp"

#include <zlib.h>

#include <algorithm>

#include "uploads/byte_numbers.hpp"

namespace tideline::uploads {
namespace {

// APPNOTE.TXT 6.3.10, 4.3: sizes of the headers without names, extra fields and comments.
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCommentMax = 0xffff;
constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::string_view kCentral = "PK\x01\x02";
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::uint32_t kStored = 0;
constexpr std::uint32_t kDeflated = 8;
constexpr std::uint32_t kEncrypted = 1;

bool has(std::string_view bytes, std::size_t at, std::size_t count) {
  return at <= bytes.size() && bytes.size() - at >= count;
}

bool begins(std::string_view bytes, std::size_t at, std::string_view signature, std::size_t size) {
  return has(bytes, at, size) && bytes.substr(at, signature.size()) == signature;
}

// Where the end record is whose comment goes to the last byte.
std::optional<std::size_t> find_end(std::string_view bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const std::size_t last = bytes.size() - kEndBytes;
  const std::size_t first = last - std::min(last, kCommentMax);
  for (std::size_t at = last;; --at) {
    if (begins(bytes, at, kEnd, kEndBytes) && little_endian(bytes, at + 20, 2) == last - at) {
      return at;
    }
    if (at == first) return std::nullopt;
  }
}

std::optional<std::string> inflate_at_most(std::string_view packed, std::size_t bytes_max) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  std::string content(bytes_max + 1, '\0');
  // zlib takes what it only reads without const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int status = inflate(&stream, Z_FINISH);
  const std::size_t size = content.size() - stream.avail_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END || size > bytes_max) return std::nullopt;
  content.resize(size);
  return content;
}

}  // namespace

std::optional<std::vector<ZipEntry>> read_zip_directory(std::string_view bytes) {
  const auto end = find_end(bytes);
  if (!end || !begins(bytes, 0, kLocal, kLocalBytes)) return std::nullopt;
  const std::size_t count = little_endian(bytes, *end + 10, 2);
  const std::size_t size = little_endian(bytes, *end + 12, 4);
  std::size_t at = little_endian(bytes, *end + 16, 4);
  const bool one_part = little_endian(bytes, *end + 4, 4) == 0 &&
                        little_endian(bytes, *end + 8, 2) == count && count <= kZipEntriesMax;
  if (!one_part || at > *end || *end - at != size) return std::nullopt;
  std::vector<ZipEntry> entries;
  for (std::size_t i = 0; i < count; ++i) {
    if (!begins(bytes, at, kCentral, kCentralBytes)) return std::nullopt;
    const std::size_t name = little_endian(bytes, at + 28, 2);
    const std::size_t rest = little_endian(bytes, at + 30, 2) + little_endian(bytes, at + 32, 2);
    if (!has(bytes, at + kCentralBytes, name + rest)) return std::nullopt;
    if ((little_endian(bytes, at + 8, 2) & kEncrypted) != 0) return std::nullopt;
    entries.push_back({bytes.substr(at + kCentralBytes, name), little_endian(bytes, at + 10, 2),
                       little_endian(bytes, at + 20, 4), little_endian(bytes, at + 42, 4)});
    at += kCentralBytes + name + rest;
  }
  if (at != *end) return std::nullopt;
  return entries;
}

std::optional<std::string> zip_content(std::string_view bytes, const ZipEntry& entry,
                                       std::size_t bytes_max) {
  if (!begins(bytes, entry.offset, kLocal, kLocalBytes)) return std::nullopt;
  const std::size_t name = little_endian(bytes, entry.offset + 26, 2);
  const std::size_t extra = little_endian(bytes, entry.offset + 28, 2);
  const std::size_t begin = entry.offset + kLocalBytes + name + extra;
  if (!has(bytes, begin, entry.packed_bytes)) return std::nullopt;
  if (bytes.substr(entry.offset + kLocalBytes, name) != entry.name) return std::nullopt;
  const std::string_view packed = bytes.substr(begin, entry.packed_bytes);
  if (entry.method == kDeflated) return inflate_at_most(packed, bytes_max);
  if (entry.method != kStored || packed.size() > bytes_max) return std::nullopt;
  return std::string(packed);
}

}  // namespace tideline::uploads
