#include "images/renditions.hpp"

#include <gtest/gtest.h>

#include "images/tests/pictures.hpp"
#include "support/pictures.hpp"

namespace tideline::images {
namespace {

using testing::as_jpeg;
using testing::expect_near;
using testing::pixel;
using testing::read;
using testing::Rgba;
using testing::two_halves;

constexpr Rgba kRed{220, 30, 40};
constexpr Rgba kBlue{20, 40, 200};

class RenditionsTest : public ::testing::Test {
 protected:
  Renditions made(const std::string& bytes) {
    auto result = maker.make(bytes);
    EXPECT_TRUE(std::holds_alternative<Renditions>(result))
        << static_cast<int>(*std::get_if<NoRenditions>(&result));
    const auto* found = std::get_if<Renditions>(&result);
    return found == nullptr ? Renditions{} : std::move(*found);
  }

  RenditionMaker maker;
};

struct Sides {
  int width = 0;
  int height = 0;
  friend bool operator==(const Sides&, const Sides&) = default;
};

Sides sides_of(const std::optional<std::string>& webp) {
  if (!webp) return {};
  const auto image = read(*webp);
  return {vips_image_get_width(image.get()), vips_image_get_height(image.get())};
}

TEST_F(RenditionsTest, ComeInThreeSizesByTheLongerSide) {
  const auto wide = made(test_support::picture(2100, 700));
  EXPECT_EQ(sides_of(wide.large), (Sides{2048, 683}));
  EXPECT_EQ(sides_of(wide.medium), (Sides{640, 213}));
  EXPECT_EQ(sides_of(wide.small), (Sides{160, 53}));
  EXPECT_EQ(wide.width, 2048U);
  EXPECT_EQ(wide.height, 683U);
  EXPECT_EQ(wide.blurhash.size(), 28U);
  const auto tall = made(test_support::picture(40, 700));
  EXPECT_EQ(sides_of(tall.large), (Sides{40, 700}));
  EXPECT_EQ(sides_of(tall.medium), (Sides{37, 640}));
}

TEST_F(RenditionsTest, AreNeverEnlarged) {
  const auto tiny = made(test_support::picture(1, 1));
  EXPECT_EQ(sides_of(tiny.large), (Sides{1, 1}));
  EXPECT_EQ(tiny.medium, std::nullopt);
  EXPECT_EQ(tiny.small, std::nullopt);
  const auto middle = made(test_support::picture(300, 200));
  EXPECT_EQ(sides_of(middle.large), (Sides{300, 200}));
  EXPECT_EQ(middle.medium, std::nullopt);
  EXPECT_EQ(sides_of(middle.small), (Sides{160, 107}));
}

TEST_F(RenditionsTest, OfALineAreALine) {
  EXPECT_EQ(sides_of(made(test_support::picture(kSideMax, 1)).small), (Sides{160, 1}));
  EXPECT_EQ(sides_of(made(test_support::picture(1, kSideMax)).large), (Sides{1, 2048}));
}

TEST_F(RenditionsTest, StandUpright) {
  const auto lying = two_halves(64, 32, kRed, kBlue);
  vips_image_set_int(lying.get(), VIPS_META_ORIENTATION, 6);
  const auto upright = made(as_jpeg(lying.get()));
  EXPECT_EQ(sides_of(upright.large), (Sides{32, 64}));
  EXPECT_EQ(upright.width, 32U);
  const auto image = read(upright.large);
  expect_near(pixel(image.get(), 16, 4), kRed);
  expect_near(pixel(image.get(), 16, 60), kBlue);
}

TEST_F(RenditionsTest, SayNothingOfWhereAndWhenAndByWhom) {
  const auto drawn = two_halves(900, 20, kRed, kBlue);
  vips_image_set_string(drawn.get(), "exif-ifd3-GPSLatitude", "48/1 8/1 1/1");
  vips_image_set_string(drawn.get(), "exif-ifd0-Artist", "Ada Campus");
  vips_image_set_blob_copy(drawn.get(), VIPS_META_XMP_NAME, "<x:xmpmeta/>", 12);
  const std::string sent = as_jpeg(drawn.get());
  ASSERT_NE(sent.find("Ada Campus"), std::string::npos) << "the test writes what is to go";
  ASSERT_NE(sent.find("xmpmeta"), std::string::npos);
  const auto shown = made(sent);
  for (const auto& bytes : {std::optional(shown.large), shown.medium, shown.small}) {
    ASSERT_TRUE(bytes);
    for (const char* gone : {"EXIF", "Exif", "XMP ", "xmpmeta", "Ada", "ICCP"}) {
      EXPECT_EQ(bytes->find(gone), std::string::npos) << gone;
    }
  }
}

TEST_F(RenditionsTest, HaveTheColoursOfTheProfileWithoutIt) {
  const auto drawn = two_halves(40, 20, kRed, kBlue);
  VipsImage* wide = nullptr;
  ASSERT_EQ(vips_icc_transform(drawn.get(), &wide, "p3", "input_profile", "srgb", nullptr), 0);
  const testing::Drawn owned(wide);
  EXPECT_GT(std::abs(pixel(wide, 5, 5).red - kRed.red), 12) << "other numbers for the same colour";
  const auto image = read(made(as_jpeg(wide)).large);
  expect_near(pixel(image.get(), 5, 10), kRed);
  expect_near(pixel(image.get(), 35, 10), kBlue);
  EXPECT_EQ(vips_image_get_typeof(image.get(), VIPS_META_ICC_NAME), 0U);
}

TEST_F(RenditionsTest, OfInksAndOfGreysAreOfLight) {
  const auto drawn = two_halves(40, 20, {200, 200, 200}, {60, 60, 60});
  VipsImage* changed = nullptr;
  ASSERT_EQ(vips_icc_transform(drawn.get(), &changed, "cmyk", "input_profile", "srgb", nullptr), 0);
  const testing::Drawn inks(changed);
  ASSERT_EQ(vips_colourspace(drawn.get(), &changed, VIPS_INTERPRETATION_GREY16, nullptr), 0);
  const testing::Drawn greys(changed);
  for (const std::string& sent :
       {as_jpeg(inks.get()), testing::saved(greys.get(), "VipsForeignSavePng", ".png")}) {
    const auto image = read(made(sent).large);
    EXPECT_EQ(vips_image_get_bands(image.get()), 3);
    expect_near(pixel(image.get(), 5, 10), {200, 200, 200});
    expect_near(pixel(image.get(), 35, 10), {60, 60, 60}, 20);
  }
}

TEST_F(RenditionsTest, KeepWhatIsTransparentAndBlurItOnWhite) {
  const auto drawn = two_halves(40, 20, {0, 0, 0}, {0, 0, 0});
  VipsImage* changed = nullptr;
  ASSERT_EQ(vips_bandjoin_const1(drawn.get(), &changed, 0, nullptr), 0);
  const testing::Drawn clear(changed);
  const auto shown = made(testing::saved(clear.get(), "VipsForeignSavePng", ".png"));
  EXPECT_EQ(pixel(read(shown.large).get(), 5, 5).alpha, 0);
  EXPECT_EQ(shown.blurhash.substr(2, 4), "TSUA") << "white";
}

TEST_F(RenditionsTest, OfTheSameBytesAreTheSame) {
  const std::string sent = test_support::picture(700, 300);
  EXPECT_EQ(made(sent).large, made(sent).large);
}

}  // namespace
}  // namespace tideline::images
