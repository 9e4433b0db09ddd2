// Pictures: drawn here, uploaded, and read back in three sizes by who may see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "demo/campus.hpp"

namespace tideline::demo {

// A PNG of so many pixels; another seed gives another picture.
std::string png_of(std::uint32_t width, std::uint32_t height, std::uint32_t seed);

// Width and height of a WebP; {0, 0}: it is none.
std::pair<std::uint32_t, std::uint32_t> size_of_webp(const std::string& bytes);

// Avatars of some people, and moments that show pictures. Returns how many pictures there were.
// Throws UnexpectedAnswer where what is read is not what was uploaded, or is read by who may not.
std::size_t verify_pictures(WorkerPool& workers, Campus& campus);

}  // namespace tideline::demo
