// An uploaded picture decoded and written anew, in the sizes in which it is shown. Nothing of what
// was sent goes on but pixels: no metadata, no colour profile, no bytes behind the picture.
//
// libvips decodes, in this process. It is given four formats and no others, bounds from the header
// before any pixel, and as many pictures at once as a RenditionMaker admits. So memory is bounded:
// formats that come line by line take some lines of it, others some 20 bytes a pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <variant>

namespace tideline::images {

// Pixels of the longer side.
constexpr std::uint32_t kSmallSide = 160;
constexpr std::uint32_t kMediumSide = 640;
constexpr std::uint32_t kLargeSide = 2048;

// Of a picture that is decoded.
constexpr std::uint32_t kSideMax = 16'384;
constexpr std::uint64_t kPixelsMax = 50'000'000;
// Of one that is decoded as a whole: interlaced PNG, progressive JPEG, WebP, GIF.
constexpr std::uint64_t kWholePixelsMax = 16'000'000;
// Passes over a progressive JPEG, each of which may take a few bytes and visits every pixel.
constexpr std::size_t kScansMax = 64;

struct Renditions {
  std::string large;                  // WebP in sRGB, upright, as all of them
  std::optional<std::string> medium;  // nullopt: large is not larger
  std::optional<std::string> small;   // nullopt: medium, or large, is not larger
  std::uint32_t width = 0;            // of large, pixels
  std::uint32_t height = 0;
  std::string blurhash;  // 28 characters
};

enum class NoRenditions {
  TooLarge,  // more pixels than are decoded, or more passes
  Broken,    // no picture, or one that ends early
  Busy,      // as many as may be are being made
};

// Any number of threads may share one, and there may be several: each admits its own number.
class RenditionMaker {
 public:
  static constexpr std::ptrdiff_t kAtOnce = 2;

  // Starts libvips, which the process keeps. Aborts where it cannot start.
  explicit RenditionMaker(std::ptrdiff_t at_once = kAtOnce);

  // Of a PNG, JPEG, WebP or GIF, of the latter two the first frame. Never enlarges. Uses one
  // processor for up to some seconds; does not wait where it is Busy.
  std::variant<Renditions, NoRenditions> make(std::string_view bytes);

 private:
  std::counting_semaphore<> free_;
};

}  // namespace tideline::images
