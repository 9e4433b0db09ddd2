#include "images/blurhash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "core/check.hpp"

namespace tideline::images {
namespace {

struct Colour {  // linear light, 0 to 1; of a wave also below
  double red = 0;
  double green = 0;
  double blue = 0;
};

double linear_of(std::uint8_t srgb) {
  const double value = srgb / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

std::uint32_t srgb_of(double linear) {
  const double value = std::clamp(linear, 0.0, 1.0);
  const double srgb = value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  return static_cast<std::uint32_t>(srgb * 255 + 0.5);
}

void append_base83(std::string& text, std::uint32_t number, std::size_t digits) {
  constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";
  static_assert(kDigits.size() == 83);
  std::uint32_t divisor = 1;
  for (std::size_t i = 1; i < digits; ++i) divisor *= 83;
  for (; divisor > 0; divisor /= 83) text.push_back(kDigits[number / divisor % 83]);
}

// cos(pi * wave * i / length) for each i.
std::vector<double> wave_along(std::size_t wave, std::size_t length) {
  std::vector<double> values(length);
  for (std::size_t i = 0; i < length; ++i) {
    values[i] =
        std::cos(std::numbers::pi * static_cast<double>(wave * i) / static_cast<double>(length));
  }
  return values;
}

// How much of a wave is in the picture.
Colour share_of(const std::vector<Colour>& pixels, const std::vector<double>& across,
                const std::vector<double>& down) {
  Colour sum;
  for (std::size_t y = 0; y < down.size(); ++y) {
    for (std::size_t x = 0; x < across.size(); ++x) {
      const double basis = across[x] * down[y];
      const Colour& pixel = pixels[y * across.size() + x];
      sum.red += basis * pixel.red;
      sum.green += basis * pixel.green;
      sum.blue += basis * pixel.blue;
    }
  }
  const auto count = static_cast<double>(pixels.size());
  return {sum.red / count, sum.green / count, sum.blue / count};
}

// One of the 19 steps from -1 to 1, finer about 0.
std::uint32_t step_of(double value) {
  const double root = std::copysign(std::sqrt(std::abs(value)), value);
  return static_cast<std::uint32_t>(std::clamp(std::floor(root * 9 + 9.5), 0.0, 18.0));
}

// The greatest share, one of 83 steps; then the mean colour; then each wave in parts of the
// greatest.
void append_colours(std::string& text, const Colour& mean, std::span<const Colour> waves) {
  double greatest = 0;
  for (const Colour& wave : waves) {
    greatest = std::max({greatest, std::abs(wave.red), std::abs(wave.green), std::abs(wave.blue)});
  }
  const double step = waves.empty() ? 0 : std::clamp(std::floor(greatest * 166 - 0.5), 0.0, 82.0);
  const double scale = waves.empty() ? 1 : (step + 1) / 166;
  append_base83(text, static_cast<std::uint32_t>(step), 1);
  append_base83(text, srgb_of(mean.red) << 16U | srgb_of(mean.green) << 8U | srgb_of(mean.blue), 4);
  for (const Colour& wave : waves) {
    const std::uint32_t colour =
        (step_of(wave.red / scale) * 19 + step_of(wave.green / scale)) * 19 +
        step_of(wave.blue / scale);
    append_base83(text, colour, 2);
  }
}

}  // namespace

std::string blurhash_of(std::span<const std::uint8_t> rgb, std::size_t width, std::size_t height,
                        const BlurhashWaves& waves) {
  CHECK(width > 0 && height > 0 && rgb.size() == width * height * 3, "a picture has pixels");
  std::array<double, 256> linear{};
  for (std::size_t i = 0; i < linear.size(); ++i)
    linear[i] = linear_of(static_cast<std::uint8_t>(i));
  std::vector<Colour> pixels(width * height);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = {linear[rgb[3 * i]], linear[rgb[3 * i + 1]], linear[rgb[3 * i + 2]]};
  }
  std::vector<Colour> shares;
  for (std::size_t j = 0; j < waves.down; ++j) {
    for (std::size_t i = 0; i < waves.across; ++i) {
      const Colour share = share_of(pixels, wave_along(i, width), wave_along(j, height));
      const double scale = i == 0 && j == 0 ? 1 : 2;
      shares.push_back({share.red * scale, share.green * scale, share.blue * scale});
    }
  }
  std::string text;
  append_base83(text, static_cast<std::uint32_t>((waves.across - 1) + (waves.down - 1) * 9), 1);
  append_colours(text, shares.front(), std::span(shares).subspan(1));
  return text;
}

}  // namespace tideline::images
