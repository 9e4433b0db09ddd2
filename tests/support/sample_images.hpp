// The smallest bytes that pass for an image of a kind: headers alone, no pixel behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tideline::test_support {

inline std::string big_endian(std::uint32_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = count; i > 0; --i) {
    bytes.push_back(static_cast<char>(number >> (8 * (i - 1)) & 0xffU));
  }
  return bytes;
}
inline std::string little_endian(std::uint32_t number, std::size_t count) {
  const std::string bytes = big_endian(number, count);
  return {bytes.rbegin(), bytes.rend()};
}

inline std::string png(std::uint32_t width, std::uint32_t height) {
  return std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) + big_endian(width, 4) +
         big_endian(height, 4) + std::string("\x08\x06\0\0\0", 5) + "crc.";
}
// With a comment and a table ahead of the frame.
inline std::string jpeg(std::uint32_t width, std::uint32_t height) {
  return std::string("\xff\xd8\xff\xfe\0\x04hi\xff\xff\xdb\0\x03q\xff\xc0\0\x0b\x08", 19) +
         big_endian(height, 2) + big_endian(width, 2) + std::string("\x01\x01\x11\0", 4);
}
inline std::string gif(std::uint32_t width, std::uint32_t height) {
  return "GIF89a" + little_endian(width, 2) + little_endian(height, 2) + std::string(3, '\0');
}
// `format`: "VP8 ", "VP8L" or "VP8X".
inline std::string webp(const std::string& format, std::uint32_t width, std::uint32_t height) {
  std::string chunk;
  if (format == "VP8 ") {
    chunk =
        std::string("\0\0\0\x9d\x01\x2a", 6) + little_endian(width, 2) + little_endian(height, 2);
  } else if (format == "VP8L") {
    chunk = "\x2f" + little_endian((width - 1) | (height - 1) << 14U, 4) + std::string(5, '\0');
  } else {
    chunk = std::string(4, '\0') + little_endian(width - 1, 3) + little_endian(height - 1, 3);
  }
  const auto size = static_cast<std::uint32_t>(chunk.size());
  return "RIFF" + little_endian(size + 12, 4) + "WEBP" + format + little_endian(size, 4) + chunk;
}

}  // namespace tideline::test_support
