#include "uploads/image_header.hpp"

#include <cstddef>

#include "core/check.hpp"
#include "uploads/byte_numbers.hpp"

namespace tideline::uploads {
namespace {

std::optional<ImageHeader> sized(ImageKind kind, std::uint32_t width, std::uint32_t height) {
  if (width == 0 || height == 0) return std::nullopt;
  return ImageHeader{kind, width, height};
}

// ISO/IEC 15948, 11.2.2: IHDR comes first, 13 bytes: sides, bit depth, colour type, methods.
std::optional<ImageHeader> read_png(std::string_view bytes) {
  constexpr std::string_view kHeader("\0\0\0\rIHDR", 8);
  constexpr std::size_t kFields = 16;
  constexpr std::uint32_t kSideMax = 0x7fffffff;
  if (bytes.size() < 33 || bytes.substr(8, 8) != kHeader) return std::nullopt;
  const std::uint32_t width = big_endian(bytes, kFields, 4);
  const std::uint32_t height = big_endian(bytes, kFields + 4, 4);
  const std::uint32_t depth = byte_at(bytes, kFields + 8);
  const std::uint32_t colour = byte_at(bytes, kFields + 9);
  const bool known_depth = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
  const bool known_colour = colour == 0 || colour == 2 || colour == 3 || colour == 4 || colour == 6;
  const bool known_methods = byte_at(bytes, kFields + 10) == 0 &&
                             byte_at(bytes, kFields + 11) == 0 && byte_at(bytes, kFields + 12) <= 1;
  if (!known_depth || !known_colour || !known_methods) return std::nullopt;
  if (width > kSideMax || height > kSideMax) return std::nullopt;
  return sized(ImageKind::Png, width, height);
}

// ITU T.81, B.2: segments of a marker and a length until a frame header tells the sides.
std::optional<ImageHeader> read_jpeg(std::string_view bytes) {
  std::size_t at = 2;
  for (;;) {
    if (at + 4 > bytes.size() || byte_at(bytes, at) != 0xff) return std::nullopt;
    const std::uint32_t marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {  // filling
      ++at;
      continue;
    }
    const bool is_frame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    const bool is_table = marker == 0xc4 || marker == 0xcc || (marker >= 0xdb && marker <= 0xfe);
    if (!is_frame && !is_table) return std::nullopt;
    const std::size_t length = big_endian(bytes, at + 2, 2);
    if (length < 2 || at + 2 + length > bytes.size()) return std::nullopt;
    if (is_frame) {
      const std::size_t components = length < 8 ? 0 : byte_at(bytes, at + 9);
      if (components == 0 || length != 8 + 3 * components) return std::nullopt;
      return sized(ImageKind::Jpeg, big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2));
    }
    at += 2 + length;
  }
}

// GIF89a, 18: the logical screen's sides.
std::optional<ImageHeader> read_gif(std::string_view bytes) {
  if (bytes.size() < 13) return std::nullopt;
  return sized(ImageKind::Gif, little_endian(bytes, 6, 2), little_endian(bytes, 8, 2));
}

// RFC 9649: a RIFF file whose first chunk is lossy (RFC 6386, 9.1), lossless or extended.
std::optional<ImageHeader> read_webp(std::string_view bytes) {
  constexpr std::size_t kChunk = 20;
  if (bytes.size() < kChunk + 10) return std::nullopt;
  // The length counts from behind itself, and is even.
  const std::uint64_t length = little_endian(bytes, 4, 4);
  if (length % 2 != 0 || length + 8 > bytes.size()) return std::nullopt;
  const std::string_view format = bytes.substr(12, 4);
  if (format == "VP8 ") {
    const bool key_frame = byte_at(bytes, kChunk) % 2 == 0;
    if (!key_frame || bytes.substr(kChunk + 3, 3) != "\x9d\x01\x2a") return std::nullopt;
    return sized(ImageKind::WebP, little_endian(bytes, kChunk + 6, 2) & 0x3fffU,
                 little_endian(bytes, kChunk + 8, 2) & 0x3fffU);
  }
  if (format == "VP8L") {
    if (byte_at(bytes, kChunk) != 0x2f) return std::nullopt;
    const std::uint32_t sides = little_endian(bytes, kChunk + 1, 4);
    return sized(ImageKind::WebP, (sides & 0x3fffU) + 1, (sides >> 14U & 0x3fffU) + 1);
  }
  if (format == "VP8X") {
    return sized(ImageKind::WebP, little_endian(bytes, kChunk + 4, 3) + 1,
                 little_endian(bytes, kChunk + 7, 3) + 1);
  }
  return std::nullopt;
}

}  // namespace

std::string_view media_type_of(ImageKind kind) {
  switch (kind) {
    case ImageKind::Png:
      return "image/png";
    case ImageKind::Jpeg:
      return "image/jpeg";
    case ImageKind::WebP:
      return "image/webp";
    case ImageKind::Gif:
      return "image/gif";
  }
  CHECK(false, "an image has one of its kinds");
  return {};
}

std::optional<ImageHeader> read_image_header(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return read_png(bytes);
  if (bytes.starts_with("\xff\xd8\xff")) return read_jpeg(bytes);
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return read_gif(bytes);
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return read_webp(bytes);
  }
  return std::nullopt;
}

}  // namespace tideline::uploads
