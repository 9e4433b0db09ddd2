#include "uploads/image_metadata.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>

#include "core/check.hpp"
#include "uploads/byte_numbers.hpp"
#include "uploads/image_header.hpp"

namespace tideline::uploads {
namespace {

using std::string_view_literals::operator""sv;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& known, std::string_view name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

// Bytes from the front on, as far as there are any.
class Blocks {
 public:
  explicit Blocks(std::string_view bytes) : left_(bytes) {}

  // nullopt, and the end: there are fewer.
  std::optional<std::string_view> take(std::size_t count) {
    if (count > left_.size()) {
      left_ = {};
      return std::nullopt;
    }
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

// Exif 2.32, 4.6.2: tag 0x0112 of the first directory of a TIFF structure. 1, as it lies: none, or
// one that is broken.
std::uint32_t orientation_of(std::string_view tiff) {
  if (tiff.starts_with("Exif\0\0"sv)) tiff.remove_prefix(6);
  const bool is_big = tiff.starts_with("MM\0*"sv);
  if (tiff.size() < 8 || (!is_big && !tiff.starts_with("II*\0"sv))) return 1;
  const auto number = [&](std::size_t at, std::size_t count) {
    return is_big ? big_endian(tiff, at, count) : little_endian(tiff, at, count);
  };
  const std::size_t directory = number(4, 4);
  if (directory > tiff.size() - 2) return 1;
  const std::size_t entries = number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + 12 * i;
    if (at + 12 > tiff.size()) return 1;
    if (number(at, 2) != 0x0112) continue;
    const std::uint32_t value = number(at + 8, 2);
    const bool is_short = number(at + 2, 2) == 3 && number(at + 4, 4) == 1;
    return is_short && value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

// A TIFF structure that says this and nothing else.
std::string tiff_of(std::uint32_t orientation) {
  std::string tiff("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19);
  tiff.push_back(static_cast<char>(orientation));
  return tiff.append(6, '\0');
}

// ISO/IEC 15948: chunks of a length, a type, data and a checksum.
std::string png_without_metadata(std::string_view bytes) {
  constexpr std::array kShown{"IHDR"sv, "PLTE"sv, "IDAT"sv, "IEND"sv, "tRNS"sv, "gAMA"sv,
                              "cHRM"sv, "sRGB"sv, "iCCP"sv, "cICP"sv, "sBIT"sv, "bKGD"sv,
                              "pHYs"sv, "acTL"sv, "fcTL"sv, "fdAT"sv};
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kAround = 12;
  std::string kept(bytes.substr(0, kSignature));
  Blocks blocks(bytes.substr(kSignature));
  while (blocks.left().size() >= kAround) {
    const std::string_view type = blocks.left().substr(4, 4);
    const auto chunk = blocks.take(kAround + std::size_t{big_endian(blocks.left(), 0, 4)});
    if (!chunk) break;
    if (is_one_of(kShown, type)) kept += *chunk;
    if (type == "IEND") break;
  }
  return kept;
}

// GIF89a: the screen and its colours, then blocks. Each kind of extension begins with its size.
class Gif {
 public:
  explicit Gif(std::string_view bytes) : blocks_(bytes) {}

  std::string without_metadata(std::size_t frames_max) {
    constexpr std::size_t kScreen = 13;
    if (!keep(kScreen, colours(byte_at(blocks_.left(), 10)))) return std::move(kept_);
    while (!blocks_.left().empty()) {
      if (frames_ == frames_max) return std::move(kept_.append(1, '\x3b'));
      const std::uint32_t introducer = byte_at(blocks_.left(), 0);
      const bool went_on = introducer == 0x21 ? extension() : introducer == 0x2c && image();
      if (went_on) continue;
      if (introducer == 0x3b) kept_.push_back('\x3b');
      break;
    }
    return std::move(kept_);
  }

 private:
  static std::size_t colours(std::uint32_t packed) {
    return (packed & 0x80U) != 0 ? std::size_t{3} << ((packed & 7U) + 1) : 0;
  }
  bool keep(std::size_t head, std::size_t table) {
    const auto taken = blocks_.take(head + table);
    if (taken) kept_ += *taken;
    return taken.has_value();
  }
  // Blocks of a size and as many bytes, up to an empty one. nullopt: it is cut off.
  std::optional<std::string_view> data(std::size_t from) {
    std::size_t end = from;
    while (end < blocks_.left().size()) {
      const std::size_t size = byte_at(blocks_.left(), end);
      end += 1 + size;
      if (size == 0) return blocks_.take(end);
    }
    return std::nullopt;
  }
  // Those of applications are comments, but for the one that says how often to repeat the
  // animation.
  bool extension() {
    if (blocks_.left().size() < 3) return false;
    const std::uint32_t label = byte_at(blocks_.left(), 1);
    const auto all = data(2);
    if (!all) return false;
    constexpr std::array kRepeats{"\13NETSCAPE2.0\3\1"sv, "\13ANIMEXTS1.0\3\1"sv};
    const bool repeats =
        label == 0xff && all->size() >= 19 && is_one_of(kRepeats, all->substr(2, 14));
    if (repeats) (kept_ += all->substr(0, 18)) += '\0';
    if (label == 0xf9 || label == 0x01) kept_ += *all;
    return true;
  }
  bool image() {
    constexpr std::size_t kDescriptor = 10;
    if (blocks_.left().size() < kDescriptor) return false;
    const auto all = data(kDescriptor + colours(byte_at(blocks_.left(), 9)) + 1);
    if (all) kept_ += *all;
    ++frames_;
    return all.has_value();
  }

  Blocks blocks_;
  std::string kept_;
  std::size_t frames_ = 0;
};

// ITU T.81, B.1.1.4: segments of a marker and a length; behind that of a scan its coded data, up to
// the next marker.
class Jpeg {
 public:
  explicit Jpeg(std::string_view bytes) : blocks_(bytes.substr(2)), kept_(bytes.substr(0, 2)) {}

  std::string without_metadata() {
    while (blocks_.left().size() >= 2) {
      const std::uint32_t marker = byte_at(blocks_.left(), 1);
      const bool has_length =
          marker >= 0xc0 && marker != 0xff && !(marker >= 0xd0 && marker <= 0xd9);
      if (byte_at(blocks_.left(), 0) == 0xff && marker == 0xd9) {
        kept_ += "\xff\xd9";
        break;
      }
      // Filling, and what decoders pass over.
      if (byte_at(blocks_.left(), 0) != 0xff || !has_length) {
        blocks_.take(1);
        continue;
      }
      if (blocks_.left().size() < 4) break;
      const auto segment = blocks_.take(2 + std::size_t{big_endian(blocks_.left(), 2, 2)});
      if (!segment || segment->size() < 4) break;
      put(marker, *segment);
      if (marker == 0xda) scan();
    }
    return std::move(kept_);
  }

 private:
  // Of the segments for applications and comments, those that say how to read colours.
  void put(std::uint32_t marker, std::string_view segment) {
    const std::string_view content = segment.substr(4);
    const bool is_private = (marker >= 0xe0 && marker <= 0xef) || marker == 0xfe;
    if (marker == 0xe0 && content.starts_with("JFIF\0"sv) && content.size() >= 14) {
      // JFIF 1.02: the sides of a thumbnail come last, and then its pixels.
      (kept_ += "\xff\xe0\0\x10"sv) += content.substr(0, 12);
      kept_ += "\0\0"sv;
    } else if (marker == 0xe1 && content.starts_with("Exif\0\0"sv) && !is_turned_) {
      const std::uint32_t orientation = orientation_of(content);
      is_turned_ = orientation != 1;
      if (is_turned_)
        (kept_ +=
         "\xff\xe1\0\x22"
         "Exif\0\0"sv) += tiff_of(orientation);
    } else if (marker == 0xee && content.starts_with("Adobe") && content.size() >= 12) {
      (kept_ += "\xff\xee\0\x0e"sv) += content.substr(0, 12);
    } else if (!is_private || (marker == 0xe2 && content.starts_with("ICC_PROFILE\0"sv))) {
      kept_ += segment;
    }
  }
  // Within coded data a marker is one that restarts it, or a zero that stands for the byte ahead.
  // Any may be filled.
  void scan() {
    const std::string_view left = blocks_.left();
    std::size_t end = left.find('\xff');
    while (end != std::string_view::npos) {
      const std::size_t next = left.find_first_not_of('\xff', end);
      if (next == std::string_view::npos) break;
      const std::uint32_t marker = byte_at(left, next);
      if (marker != 0 && !(marker >= 0xd0 && marker <= 0xd7)) break;
      end = left.find('\xff', next + 1);
    }
    kept_ += *blocks_.take(std::min(end, left.size()));
  }

  Blocks blocks_;
  std::string kept_;
  bool is_turned_ = false;
};

std::string little_endian_text(std::size_t number) {
  std::string text;
  for (unsigned shift = 0; shift < 32; shift += 8)
    text.push_back(static_cast<char>(number >> shift & 0xffU));
  return text;
}

// RFC 9649: chunks of a name, a length and as many bytes, made even.
constexpr std::size_t kChunkHead = 8;

std::string webp_chunk(std::string_view name, std::string_view content) {
  std::string chunk(name);
  (chunk += little_endian_text(content.size())) += content;
  return chunk.append(content.size() % 2, '\0');
}

// `keep` gives what is kept of the content of each chunk; nullopt: nothing, nor its name.
template <class Keep>
std::string webp_chunks(std::string_view bytes, const Keep& keep) {
  std::string kept;
  Blocks blocks(bytes);
  while (blocks.left().size() >= kChunkHead) {
    const std::size_t size = little_endian(blocks.left(), 4, 4);
    const auto chunk = blocks.take(kChunkHead + size + size % 2);
    if (!chunk) break;
    const std::string_view name = chunk->substr(0, 4);
    if (const auto content = keep(name, chunk->substr(kChunkHead, size))) {
      kept += webp_chunk(name, *content);
    }
  }
  return kept;
}

// A frame of an animation: its place and time, and chunks of the picture.
std::string webp_frame(std::string_view content) {
  constexpr std::array kShown{"ALPH"sv, "VP8 "sv, "VP8L"sv};
  constexpr std::size_t kPlace = 16;
  return std::string(content.substr(0, kPlace)) +
         webp_chunks(content.substr(std::min(kPlace, content.size())),
                     [&](std::string_view name, std::string_view part) {
                       return is_one_of(kShown, name) ? std::optional(part) : std::nullopt;
                     });
}

std::string webp_without_metadata(std::string_view bytes) {
  constexpr std::array kShown{"VP8X"sv, "VP8 "sv, "VP8L"sv, "ALPH"sv, "ANIM"sv, "ICCP"sv};
  constexpr std::size_t kFile = 12;
  constexpr std::size_t kLosslessHeader = 5;
  constexpr std::size_t kHeader = 10;
  constexpr unsigned kHasExif = 0x08;
  constexpr unsigned kHasXmp = 0x04;
  std::uint32_t orientation = 1;
  std::string chunks = webp_chunks(
      bytes.substr(kFile, little_endian(bytes, 4, 4) - 4),
      [&](std::string_view name, std::string_view content) -> std::optional<std::string> {
        if (name == "EXIF" && orientation == 1) orientation = orientation_of(content);
        if (name == "ANMF") return webp_frame(content);
        if (is_one_of(kShown, name)) return std::string(content);
        return std::nullopt;
      });
  const std::size_t needed = chunks.starts_with("VP8L") ? kLosslessHeader : kHeader;
  if (!chunks.empty() && little_endian(chunks, 4, 4) < needed) chunks.clear();
  if (chunks.starts_with("VP8X")) {
    const unsigned flags = byte_at(chunks, kChunkHead) & ~(kHasExif | kHasXmp);
    const bool is_turned = orientation != 1;
    chunks[kChunkHead] = static_cast<char>(is_turned ? flags | kHasExif : flags);
    if (is_turned) chunks += webp_chunk("EXIF", tiff_of(orientation));
  }
  return "RIFF" + little_endian_text(4 + chunks.size()) + "WEBP" + chunks;
}

std::string cleaned(std::string_view bytes, std::size_t frames_max) {
  const auto header = read_image_header(bytes);
  if (!header) return std::string(bytes);
  switch (header->kind) {
    case ImageKind::Png:
      return png_without_metadata(bytes);
    case ImageKind::Jpeg:
      return Jpeg(bytes).without_metadata();
    case ImageKind::WebP:
      return webp_without_metadata(bytes);
    case ImageKind::Gif:
      return Gif(bytes).without_metadata(frames_max);
  }
  CHECK(false, "an image has one of its kinds");
  return {};
}

}  // namespace

std::string without_metadata(std::string_view bytes) {
  return cleaned(bytes, std::numeric_limits<std::size_t>::max());
}

std::string still_without_metadata(std::string_view bytes) { return cleaned(bytes, 1); }

}  // namespace tideline::uploads
