#include "images/renditions.hpp"

#include <vips/vips.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "images/blurhash.hpp"

namespace tideline::images {
namespace {

struct Unref {
  void operator()(VipsImage* image) const { g_object_unref(image); }
};
using Picture = std::unique_ptr<VipsImage, Unref>;
using Outcome = std::variant<Renditions, NoRenditions>;

constexpr int kQuality = 82;
constexpr int kEffort = 4;

// Nothing of it says anything that a caller could act on, and it would stand among the log's lines.
void drop_line(const char*, GLogLevelFlags, const char*, void*) {}

bool start_vips() {
  if (vips_init("tideline") != 0) return false;
  g_log_set_handler("VIPS", static_cast<GLogLevelFlags>(G_LOG_LEVEL_MASK), drop_line, nullptr);
  vips_operation_block_set("VipsForeign", TRUE);
  for (const char* allowed : {"VipsForeignLoadPng", "VipsForeignLoadJpeg", "VipsForeignLoadWebp",
                              "VipsForeignLoadNsgif", "VipsForeignSaveWebp"}) {
    vips_operation_block_set(allowed, FALSE);
  }
  vips_block_untrusted_set(TRUE);
  // Every picture is another one: what was computed is of no use again.
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_cache_set_max_files(0);
  vips_concurrency_set(1);
  return true;
}

// What libvips keeps by thread, and of errors, goes with the picture.
class ThreadState {
 public:
  ThreadState() = default;
  ~ThreadState() {
    vips_error_clear();
    vips_thread_shutdown();
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;
};

class Permit {
 public:
  explicit Permit(std::counting_semaphore<>& free) : free_(free), is_held_(free.try_acquire()) {}
  ~Permit() {
    if (is_held_) free_.release();
  }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  bool is_held() const { return is_held_; }

 private:
  std::counting_semaphore<>& free_;
  const bool is_held_;
};

// Only the first SOS of a scan can stand there: within coded data 0xff is followed by 0.
std::size_t scans_of(std::string_view jpeg) {
  std::size_t scans = 0;
  for (auto at = jpeg.find("\xff\xda"); at != std::string_view::npos;
       at = jpeg.find("\xff\xda", at + 2)) {
    ++scans;
  }
  return scans;
}

bool says(VipsImage* image, const char* name) {
  int value = 0;
  const bool is_there = vips_image_get_typeof(image, name) != 0;
  return is_there && vips_image_get_int(image, name, &value) == 0 && value != 0;
}

// Reads the header and decodes nothing.
std::optional<NoRenditions> refused_by_header(std::string_view bytes) {
  const bool is_jpeg = bytes.starts_with("\xff\xd8");
  if (is_jpeg && scans_of(bytes) > kScansMax) return NoRenditions::TooLarge;
  const Picture header(vips_image_new_from_buffer(bytes.data(), bytes.size(), "", "access",
                                                  VIPS_ACCESS_SEQUENTIAL, nullptr));
  if (!header) return NoRenditions::Broken;
  const auto width = static_cast<std::uint64_t>(vips_image_get_width(header.get()));
  const auto height = static_cast<std::uint64_t>(vips_image_get_height(header.get()));
  if (std::max(width, height) > kSideMax) return NoRenditions::TooLarge;
  const bool is_whole = says(header.get(), "interlaced") || says(header.get(), "jpeg-multiscan") ||
                        bytes.starts_with("GIF") || bytes.starts_with("RIFF");
  if (width * height > (is_whole ? kWholePixelsMax : kPixelsMax)) return NoRenditions::TooLarge;
  return std::nullopt;
}

// In the colours of its profile. Without one it is sRGB already, or grey, or of inks, of which
// libvips has a usual one. A profile that cannot be used counts as none.
Picture in_srgb(VipsImage* image) {
  VipsImage* coloured = nullptr;
  if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0 &&
      vips_icc_transform(image, &coloured, "srgb", "embedded", TRUE, nullptr) == 0) {
    return Picture(coloured);
  }
  if (vips_colourspace(image, &coloured, VIPS_INTERPRETATION_sRGB, nullptr) != 0) return nullptr;
  return Picture(coloured);
}

// All of its pixels, in 3 or 4 bands of 8-bit sRGB.
Picture in_memory(VipsImage* lazy) {
  const Picture coloured = in_srgb(lazy);
  if (!coloured) return nullptr;
  Picture pixels(vips_image_copy_memory(coloured.get()));
  if (!pixels) return nullptr;
  const int bands = vips_image_get_bands(pixels.get());
  const bool is_known =
      vips_image_get_format(pixels.get()) == VIPS_FORMAT_UCHAR && (bands == 3 || bands == 4);
  if (!is_known) return nullptr;
  vips_image_remove(pixels.get(), VIPS_META_ICC_NAME);
  return pixels;
}

Picture decoded(std::string_view bytes) {
  VipsImage* lazy = nullptr;
  // The buffer is only read. "fail_on" as a parameter of its own is not passed on by libvips 8.14.
  const int failed =
      vips_thumbnail_buffer(const_cast<char*>(bytes.data()), bytes.size(), &lazy,
                            static_cast<int>(kLargeSide), "height", static_cast<int>(kLargeSide),
                            "size", VIPS_SIZE_DOWN, "option_string", "[fail_on=error]", nullptr);
  if (failed != 0) return nullptr;
  const Picture owned(lazy);
  return in_memory(owned.get());
}

bool is_longer(VipsImage* image, std::uint32_t side) {
  const int longer = std::max(vips_image_get_width(image), vips_image_get_height(image));
  return longer > static_cast<int>(side);
}

Picture shrunk(VipsImage* image, std::uint32_t side) {
  VipsImage* lazy = nullptr;
  if (vips_thumbnail_image(image, &lazy, static_cast<int>(side), "height", static_cast<int>(side),
                           "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, nullptr) != 0) {
    return nullptr;
  }
  const Picture owned(lazy);
  return in_memory(owned.get());
}

std::uint32_t length_of(std::string_view chunk) {
  std::uint32_t length = 0;
  for (std::size_t i = 8; i-- > 4;) {
    length = length << 8U | static_cast<unsigned char>(chunk[i]);
  }
  return length;
}

// RFC 9649: chunks of a name, a length and as many bytes, made even. libvips 8.14 writes metadata
// of its own also where it is told to leave all out.
std::string picture_of(std::string_view webp) {
  constexpr std::size_t kHead = 8;
  constexpr char kHasAlpha = 0x10;
  std::string kept("RIFF----WEBP");
  webp.remove_prefix(kept.size());
  while (webp.size() >= kHead) {
    const std::size_t length = length_of(webp);
    const std::string_view name = webp.substr(0, 4);
    std::string chunk(webp.substr(0, kHead + length + length % 2));
    webp.remove_prefix(chunk.size());
    if (name == "VP8X") chunk[kHead] = static_cast<char>(chunk[kHead] & kHasAlpha);
    const bool is_shown = name == "VP8 " || name == "VP8L" || name == "ALPH";
    if (is_shown || (name == "VP8X" && chunk[kHead] != 0)) kept += chunk;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    kept[4 + i] = static_cast<char>((kept.size() - kHead) >> (8 * i) & 0xffU);
  }
  return kept;
}

std::optional<std::string> as_webp(VipsImage* image) {
  void* bytes = nullptr;
  std::size_t size = 0;
  if (vips_webpsave_buffer(image, &bytes, &size, "Q", kQuality, "effort", kEffort, nullptr) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<void, decltype(&g_free)> owned(bytes, &g_free);
  return picture_of({static_cast<const char*>(bytes), size});
}

// What is transparent is seen on white.
std::string blurred(VipsImage* image) {
  const auto width = static_cast<std::size_t>(vips_image_get_width(image));
  const auto height = static_cast<std::size_t>(vips_image_get_height(image));
  const auto bands = static_cast<std::size_t>(vips_image_get_bands(image));
  std::vector<std::uint8_t> rgb;
  rgb.reserve(width * height * 3);
  for (std::size_t y = 0; y < height; ++y) {
    const VipsPel* row = VIPS_IMAGE_ADDR(image, 0, static_cast<int>(y));
    for (std::size_t x = 0; x < width; ++x) {
      const unsigned alpha = bands == 4 ? row[x * bands + 3] : 255U;
      for (std::size_t band = 0; band < 3; ++band) {
        const unsigned value = row[x * bands + band];
        rgb.push_back(static_cast<std::uint8_t>((value * alpha + 255U * (255U - alpha)) / 255U));
      }
    }
  }
  return blurhash_of(rgb, width, height);
}

Outcome renditions_of(std::string_view bytes) {
  if (const auto refused = refused_by_header(bytes)) return *refused;
  const Picture large = decoded(bytes);
  if (!large) return NoRenditions::Broken;
  Renditions made;
  made.width = static_cast<std::uint32_t>(vips_image_get_width(large.get()));
  made.height = static_cast<std::uint32_t>(vips_image_get_height(large.get()));
  struct Size {
    std::uint32_t side;
    std::optional<std::string>& bytes;
  };
  Picture smaller;
  VipsImage* last = large.get();
  for (const auto& size : {Size{kMediumSide, made.medium}, Size{kSmallSide, made.small}}) {
    if (!is_longer(last, size.side)) continue;
    Picture next = shrunk(last, size.side);
    if (!next) return NoRenditions::Broken;
    size.bytes = as_webp(next.get());
    if (!size.bytes) return NoRenditions::Broken;
    smaller = std::move(next);
    last = smaller.get();
  }
  auto webp = as_webp(large.get());
  if (!webp) return NoRenditions::Broken;
  made.large = *std::move(webp);
  made.blurhash = blurred(last);
  return made;
}

}  // namespace

RenditionMaker::RenditionMaker(std::ptrdiff_t at_once) : free_(at_once) {
  static const bool is_started = start_vips();
  CHECK(is_started, "libvips starts");
}

std::variant<Renditions, NoRenditions> RenditionMaker::make(std::string_view bytes) {
  const Permit permit(free_);
  if (!permit.is_held()) return NoRenditions::Busy;
  const ThreadState state;
  return renditions_of(bytes);
}

}  // namespace tideline::images
