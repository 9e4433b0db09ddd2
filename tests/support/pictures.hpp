// Whole PNG pictures, which decoders take: pixels are stored, not compressed. For parts that are to
// fail, the pieces they are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "support/sample_images.hpp"

namespace tideline::test_support {

inline std::uint32_t crc32_of(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size()), 4) + type + data +
         big_endian(crc32_of(type + data), 4);
}

// RFC 1950 and 1951, in blocks that are stored as they are.
inline std::string zlib_stored(const std::string& bytes) {
  constexpr std::size_t kBlock = 65'535;
  std::string stored("\x78\x01");
  std::size_t at = 0;
  do {
    const std::string block = bytes.substr(at, kBlock);
    at += block.size();
    const auto size = static_cast<std::uint32_t>(block.size());
    stored += std::string(1, at == bytes.size() ? '\x01' : '\0') + little_endian(size, 2) +
              little_endian(~size & 0xffffU, 2) + block;
  } while (at < bytes.size());
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % 65'521;
    b = (b + a) % 65'521;
  }
  return stored + big_endian(b << 16U | a, 4);
}

using Rgb = std::array<std::uint8_t, 3>;

// `header` in place of the true one's sides; `chunks` between it and the pixels.
struct PictureParts {
  std::string chunks;
  std::string header;  // IHDR's content; "" = as it is
};

inline std::string picture(std::uint32_t width, std::uint32_t height,
                           const std::function<Rgb(std::uint32_t x, std::uint32_t y)>& colour,
                           const PictureParts& parts = {}) {
  std::string rows;
  for (std::uint32_t y = 0; y < height; ++y) {
    rows.push_back('\0');
    for (std::uint32_t x = 0; x < width; ++x) {
      for (const std::uint8_t value : colour(x, y)) rows.push_back(static_cast<char>(value));
    }
  }
  const std::string header =
      big_endian(width, 4) + big_endian(height, 4) + std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", parts.header.empty() ? header : parts.header) +
         parts.chunks + png_chunk("IDAT", zlib_stored(rows)) + png_chunk("IEND", "");
}

// Each width and height another picture.
inline std::string picture(std::uint32_t width, std::uint32_t height) {
  return picture(width, height, [](std::uint32_t x, std::uint32_t y) {
    return Rgb{static_cast<std::uint8_t>(x * 5), static_cast<std::uint8_t>(y * 3),
               static_cast<std::uint8_t>(x + y)};
  });
}

}  // namespace tideline::test_support
