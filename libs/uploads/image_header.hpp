// What an image says of itself in its first bytes: whether it is one, of which kind, and how large.
// Names and declared types are never asked.
//
// A pure function over bytes from outside: it reads what it needs of the header, in bounds, and
// decodes no pixel, so nothing grows here however large an image claims to be. Every format's own
// signature and header fields must agree; what lies behind the header is not looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tideline::uploads {

enum class ImageKind { Png, Jpeg, WebP, Gif };

// "image/png", ...
std::string_view media_type_of(ImageKind kind);

struct ImageHeader {
  ImageKind kind = ImageKind::Png;
  std::uint32_t width = 0;   // pixels, at least 1
  std::uint32_t height = 0;  // likewise
  friend bool operator==(const ImageHeader&, const ImageHeader&) = default;
};

// nullopt: none of these images, or one whose header is broken or cut off.
std::optional<ImageHeader> read_image_header(std::string_view bytes);

}  // namespace tideline::uploads
