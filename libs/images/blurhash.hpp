// BlurHash (https://blurha.sh): a picture as some thirty characters, from which a client draws a
// blurred one while the picture is on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tideline::images {

// Waves across and down. More show more, in a longer text.
struct BlurhashWaves {
  std::size_t across = 4;  // 1 to 9
  std::size_t down = 3;    // likewise
};

// Of 8-bit sRGB pixels, row by row: width * height * 3 bytes, at least one pixel. 4 + 2 * across *
// down characters. Pure; the time grows with pixels times waves, so it is asked of a small picture.
std::string blurhash_of(std::span<const std::uint8_t> rgb, std::size_t width, std::size_t height,
                        const BlurhashWaves& waves = {});

}  // namespace tideline::images
