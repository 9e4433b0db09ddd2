// What is sent to take the decoders' time, memory or place.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "images/renditions.hpp"
#include "images/tests/pictures.hpp"
#include "support/pictures.hpp"

namespace tideline::images {
namespace {

using test_support::big_endian;
using test_support::picture;
using testing::as_jpeg;
using testing::two_halves;

class HostilePictures : public ::testing::Test {
 protected:
  // nullopt: it was made.
  std::optional<NoRenditions> refused(const std::string& bytes) {
    const auto result = maker.make(bytes);
    const auto* none = std::get_if<NoRenditions>(&result);
    return none == nullptr ? std::nullopt : std::optional(*none);
  }

  RenditionMaker maker;
};

// Eight bits a channel; the pixels are of another picture.
std::string claims(std::uint32_t width, std::uint32_t height, bool interlaced = false) {
  std::string header =
      big_endian(width, 4) + big_endian(height, 4) + std::string("\x08\x02\0\0", 4);
  header.push_back(interlaced ? '\1' : '\0');
  return picture(1, 1, [](std::uint32_t, std::uint32_t) { return test_support::Rgb{}; },
                 {"", std::move(header)});
}

TEST_F(HostilePictures, AreRefusedForWhatTheyClaim) {
  EXPECT_EQ(refused(claims(60'000, 60'000)), NoRenditions::TooLarge);
  EXPECT_EQ(refused(claims(kSideMax + 1, 1)), NoRenditions::TooLarge);
  EXPECT_EQ(refused(claims(1, kSideMax + 1)), NoRenditions::TooLarge);
  EXPECT_EQ(refused(claims(10'000, 5'001)), NoRenditions::TooLarge);
  EXPECT_EQ(refused(claims(10'000, 5'000)), NoRenditions::Broken) << "its pixels are missing";
}

TEST_F(HostilePictures, AreSmallerWhereAllOfThemLiesInMemory) {
  EXPECT_EQ(refused(claims(4'000, 4'001, true)), NoRenditions::TooLarge);
  EXPECT_EQ(refused(claims(4'000, 4'001)), NoRenditions::Broken);
  const auto large = two_halves(4'000, 4'001, {}, {});
  EXPECT_EQ(refused(as_jpeg(large.get(), "[Q=1,interlace]")), NoRenditions::TooLarge);
  EXPECT_EQ(refused(as_jpeg(large.get(), "[Q=1]")), std::nullopt);
  EXPECT_EQ(refused(test_support::gif(4'000, 4'001)), NoRenditions::Broken) << "has no frame";
}

TEST_F(HostilePictures, OfManyScansAreRefused) {
  const std::string sent = as_jpeg(two_halves(8, 8, {}, {}).get());
  std::string scans;
  for (std::size_t i = 0; i < kScansMax; ++i) scans += "\xff\xda";
  EXPECT_EQ(refused(sent), std::nullopt);
  EXPECT_EQ(refused(sent + scans), NoRenditions::TooLarge);
}

TEST_F(HostilePictures, OfTenThousandFramesAreTheirFirst) {
  std::string sent("GIF89a\2\0\1\0\x80\0\0\xff\0\0\0\0\xff", 19);
  const std::string frame("\x2c\0\0\0\0\2\0\1\0\0\2\2\x44\x0a\0", 15);
  for (int i = 0; i < 10'000; ++i) sent += frame;
  const auto result = maker.make(sent + ";");
  ASSERT_TRUE(std::holds_alternative<Renditions>(result));
  EXPECT_EQ(std::get<Renditions>(result).height, 1U);
}

TEST_F(HostilePictures, ThatEndEarlyAreBroken) {
  const std::string png = picture(64, 64);
  const std::string jpeg = as_jpeg(two_halves(64, 64, {}, {255, 255, 255}).get());
  EXPECT_EQ(refused(png.substr(0, png.size() / 2)), NoRenditions::Broken);
  EXPECT_EQ(refused(jpeg.substr(0, jpeg.size() - 12)), NoRenditions::Broken);
  EXPECT_EQ(refused(""), NoRenditions::Broken);
}

TEST_F(HostilePictures, OfOtherFormatsReachNoDecoder) {
  EXPECT_EQ(refused("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
            NoRenditions::Broken);
  EXPECT_EQ(refused("P3 1 1 255 9 9 9\n"), NoRenditions::Broken);
  EXPECT_EQ(refused("%PDF-1.4\n"), NoRenditions::Broken);
  const auto drawn = two_halves(8, 8, {}, {});
  EXPECT_EQ(refused(testing::saved(drawn.get(), "VipsForeignSaveTiff", ".tif")),
            NoRenditions::Broken);
}

TEST_F(HostilePictures, LeaveNothingOfWhatElseTheyAre) {
  const auto result = maker.make(picture(8, 8) + "PK\3\4<script>alert(1)</script>");
  ASSERT_TRUE(std::holds_alternative<Renditions>(result));
  EXPECT_EQ(std::get<Renditions>(result).large.find("script"), std::string::npos);
}

TEST_F(HostilePictures, AreMadeAFewAtOnce) {
  RenditionMaker none(0);
  EXPECT_EQ(std::get<NoRenditions>(none.make(picture(1, 1))), NoRenditions::Busy);
  RenditionMaker one(1);
  for (const std::string& sent : {picture(1, 1), std::string("no picture"), picture(1, 1)}) {
    const auto result = one.make(sent);
    const auto* refusal = std::get_if<NoRenditions>(&result);
    EXPECT_TRUE(refusal == nullptr || *refusal == NoRenditions::Broken)
        << "the place is free again";
  }
}

// Whatever is changed in a picture, it is made or refused.
RC_GTEST_FIXTURE_PROP(HostilePictures, MayBeBrokenAnywhere, ()) {
  const auto kind = *rc::gen::inRange(0, 3);
  const auto drawn = two_halves(20, 10, {200, 0, 0}, {0, 0, 200});
  std::string sent = kind == 0   ? picture(20, 10)
                     : kind == 1 ? as_jpeg(drawn.get())
                                 : std::get<Renditions>(maker.make(picture(20, 10))).large;
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, sent.size()), rc::gen::arbitrary<char>()));
  for (const auto& [at, byte] : changes) sent[at] = byte;
  const auto result = maker.make(sent);
  if (const auto* renditions = std::get_if<Renditions>(&result)) {
    RC_ASSERT(renditions->width <= kLargeSide);
    RC_ASSERT(renditions->blurhash.size() == 28U);
  }
}

}  // namespace
}  // namespace tideline::images
