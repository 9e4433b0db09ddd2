// Pictures of kinds that Tideline does not write, and what its own ones are, both by libvips.
#pragma once

#include <gtest/gtest.h>
#include <vips/vips.h>

#include <memory>
#include <string>
#include <vector>

namespace tideline::images::testing {

struct Release {
  void operator()(VipsImage* image) const { g_object_unref(image); }
};
using Drawn = std::unique_ptr<VipsImage, Release>;

struct Rgba {
  double red = 0;
  double green = 0;
  double blue = 0;
  double alpha = 255;
};

// A left half of one colour and a right half of another, 8-bit sRGB.
inline Drawn two_halves(int width, int height, const Rgba& left, const Rgba& right) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Rgba& colour = 2 * x < width ? left : right;
      for (const double value : {colour.red, colour.green, colour.blue}) {
        pixels.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  Drawn drawn(vips_image_new_from_memory_copy(pixels.data(), pixels.size(), width, height, 3,
                                              VIPS_FORMAT_UCHAR));
  drawn->Type = VIPS_INTERPRETATION_sRGB;
  return drawn;
}

// By a saver of libvips that the process otherwise does not allow: "VipsForeignSaveJpeg", ".jpg".
inline std::string saved(VipsImage* image, const char* saver, const std::string& suffix) {
  vips_operation_block_set(saver, FALSE);
  void* bytes = nullptr;
  std::size_t size = 0;
  const int failed = vips_image_write_to_buffer(image, suffix.c_str(), &bytes, &size, nullptr);
  vips_operation_block_set(saver, TRUE);
  EXPECT_EQ(failed, 0) << suffix << ": " << vips_error_buffer();
  std::string copy(static_cast<const char*>(bytes), size);
  g_free(bytes);
  return copy;
}
inline std::string as_jpeg(VipsImage* image, const std::string& options = "[Q=95]") {
  return saved(image, "VipsForeignSaveJpeg", ".jpg" + options);
}

inline Drawn read(const std::string& webp) {
  VipsImage* image = nullptr;
  const int failed =
      vips_webpload_buffer(const_cast<char*>(webp.data()), webp.size(), &image, nullptr);
  EXPECT_EQ(failed, 0) << vips_error_buffer();
  const Drawn lazy(image);
  return Drawn(vips_image_copy_memory(lazy.get()));
}

inline Rgba pixel(VipsImage* image, int x, int y) {
  double* values = nullptr;
  int count = 0;
  EXPECT_EQ(vips_getpoint(image, &values, &count, x, y, nullptr), 0) << vips_error_buffer();
  const Rgba found{values[0], values[1], values[2], count > 3 ? values[3] : 255};
  g_free(values);
  return found;
}

inline void expect_near(const Rgba& found, const Rgba& wanted, double distance = 12) {
  EXPECT_NEAR(found.red, wanted.red, distance);
  EXPECT_NEAR(found.green, wanted.green, distance);
  EXPECT_NEAR(found.blue, wanted.blue, distance);
}

}  // namespace tideline::images::testing
