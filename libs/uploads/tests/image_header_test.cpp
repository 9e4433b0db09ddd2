#include "uploads/image_header.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "support/sample_images.hpp"

namespace tideline::uploads {
namespace {

using namespace test_support;

struct Sample {
  ImageKind kind;
  std::string bytes;
};

std::vector<Sample> samples(std::uint32_t width, std::uint32_t height) {
  return {{ImageKind::Png, png(width, height)},
          {ImageKind::Jpeg, jpeg(width, height)},
          {ImageKind::Gif, gif(width, height)},
          {ImageKind::WebP, webp("VP8 ", width, height)},
          {ImageKind::WebP, webp("VP8L", width, height)},
          {ImageKind::WebP, webp("VP8X", width, height)}};
}

TEST(ImageHeader, EachKindSaysItsSides) {
  for (const auto& [width, height] : {std::pair{1U, 2U}, {640U, 480U}, {16'383U, 16'000U}}) {
    for (const Sample& sample : samples(width, height)) {
      EXPECT_EQ(read_image_header(sample.bytes), (ImageHeader{sample.kind, width, height}))
          << media_type_of(sample.kind) << " " << width;
      EXPECT_EQ(read_image_header(sample.bytes + "what follows"),
                (ImageHeader{sample.kind, width, height}));
    }
  }
}

TEST(ImageHeader, ACutOffHeaderIsNone) {
  for (const Sample& sample : samples(3, 4)) {
    for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
      EXPECT_FALSE(read_image_header(sample.bytes.substr(0, size)).has_value())
          << media_type_of(sample.kind) << " cut to " << size;
    }
  }
}

TEST(ImageHeader, AnImageHasSides) {
  for (const char* kind : {"png", "jpeg", "gif", "webp"}) {
    const std::string name = kind;
    const auto made = [&](std::uint32_t width, std::uint32_t height) {
      if (name == "png") return png(width, height);
      if (name == "jpeg") return jpeg(width, height);
      if (name == "gif") return gif(width, height);
      return webp("VP8 ", width, height);
    };
    EXPECT_FALSE(read_image_header(made(0, 1)).has_value()) << name;
    EXPECT_FALSE(read_image_header(made(1, 0)).has_value()) << name;
  }
}

TEST(ImageHeader, WhatOnlyBeginsLikeOneIsNone) {
  std::string odd_depth = png(1, 1);
  odd_depth[24] = 3;
  std::string odd_colour = png(1, 1);
  odd_colour[25] = 5;
  std::string other_chunk = png(1, 1);
  other_chunk[12] = 'J';
  std::string image_data_first = jpeg(1, 1);
  image_data_first[3] = '\xda';
  std::string odd_frame = jpeg(1, 1);
  odd_frame[odd_frame.size() - 4] = 2;
  std::string no_key_frame = webp("VP8 ", 1, 1);
  no_key_frame[20] = 1;
  std::string too_long = webp("VP8X", 1, 1);
  too_long[4] = 40;
  for (const std::string& bytes :
       {odd_depth, odd_colour, other_chunk, image_data_first, odd_frame, no_key_frame, too_long,
        std::string("<svg xmlns='http://www.w3.org/2000/svg'/>"),
        std::string("GIF88a") + "123456789", std::string("BM") + std::string(60, '\0'),
        std::string()}) {
    EXPECT_FALSE(read_image_header(bytes).has_value()) << bytes;
  }
}

// Whatever is done to an image, it is one with sides or none; reading out of bounds would abort
// under the sanitizers' presets. A few changes and a cut now and then: about a third of what
// comes out is an image still.
RC_GTEST_PROP(ImageHeaderLaw, AnyBytesAreAnImageWithSidesOrNone, ()) {
  const auto side = rc::gen::inRange(1U, 300U);
  std::string bytes = (*rc::gen::elementOf(samples(*side, *side))).bytes;
  const auto place = rc::gen::inRange<std::size_t>(0, bytes.size());
  for (int changes = *rc::gen::inRange(0, 4); changes > 0; --changes) {
    bytes[*place] = *rc::gen::element('\0', '\x01', '\x7f', '\xff', *rc::gen::arbitrary<char>());
  }
  if (*rc::gen::inRange(0, 4) == 0) bytes.resize(*place);
  const auto header = read_image_header(bytes);
  RC_CLASSIFY(header.has_value(), "an image");
  if (header) RC_ASSERT(header->width > 0 && header->height > 0);
}

}  // namespace
}  // namespace tideline::uploads
