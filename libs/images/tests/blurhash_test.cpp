// Against what another implementation of https://blurha.sh says of the same pixels: the package
// "blurhash" 1.1.5 of PyPI.
#include "images/blurhash.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace tideline::images {
namespace {

using Pixels = std::vector<std::uint8_t>;

Pixels pixels_of(std::size_t width, std::size_t height,
                 const std::function<std::vector<std::size_t>(std::size_t, std::size_t)>& colour) {
  Pixels pixels;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      for (const std::size_t value : colour(x, y)) {
        pixels.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return pixels;
}

std::vector<std::size_t> pattern(std::size_t x, std::size_t y) {
  return {x * 5 % 256, y * 3 % 256, (x + y) % 256};
}
std::vector<std::size_t> white(std::size_t, std::size_t) { return {255, 255, 255}; }
std::vector<std::size_t> black(std::size_t, std::size_t) { return {0, 0, 0}; }
std::vector<std::size_t> halves(std::size_t x, std::size_t) {
  return x < 8 ? std::vector<std::size_t>{255, 0, 0} : std::vector<std::size_t>{0, 0, 255};
}

TEST(Blurhash, SaysOfAPictureWhatAnotherImplementationSays) {
  EXPECT_EQ(blurhash_of(pixels_of(32, 20, pattern), 32, 20), "LKAkaZ2VwyW:rsWXjtf7fjfQfQfQ");
  EXPECT_EQ(blurhash_of(pixels_of(3, 7, pattern), 3, 7), "L00l@$TbJjx@m.aLWoi|eoe:fQe:");
  EXPECT_EQ(blurhash_of(pixels_of(16, 16, halves), 16, 16), "L~LjfL|T$0JssXsSjsa~fQfQfQfQ");
}

TEST(Blurhash, OfOneColourIsThatColour) {
  EXPECT_EQ(blurhash_of(pixels_of(8, 8, white), 8, 8), "LfTSUA~qfQ~q~qt7fQt7fQfQfQfQ");
  EXPECT_EQ(blurhash_of(pixels_of(8, 8, black), 8, 8), "L00000fQfQfQfQfQfQfQfQfQfQfQ");
  EXPECT_EQ(blurhash_of(pixels_of(1, 1, black), 1, 1).size(), 28U);
}

TEST(Blurhash, HasAsManyWavesAsWereAskedFor) {
  EXPECT_EQ(blurhash_of(pixels_of(32, 20, pattern), 32, 20, {1, 1}), "00AkaZ");
  EXPECT_EQ(blurhash_of(pixels_of(40, 40, pattern), 40, 40, {9, 9}),
            "|YDR7,2VwyW:jtj[WooLWom:a#jtf7fQf7fQf7fQf*fQfQfQfQfQfQfQfQn*a|jtfQfQfQfQfQfQfQfQfQfQfQ"
            "fQfQfQfQoLa|jtfQfQfQfQfQfQf6fQfQfQfQfQfQfQfQoLa|jtfQfQfQfQfQfQf6fQfQfQfQfQfQfQfQ");
}

}  // namespace
}  // namespace tideline::images
