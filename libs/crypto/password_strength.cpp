#include "crypto/password_strength.hpp"

#include <zxcvbn.h>

#include <ranges>
#include <string>

namespace tideline::crypto {
namespace {

constexpr double kEntropyMin = 20.0;  // bits
constexpr std::size_t kLookedAtMax = 100;
constexpr std::size_t kOwnWordMin = 3;  // shorter ones are in every other password

}  // namespace

bool is_easily_guessed(std::string_view password, const std::vector<std::string_view>& own) {
  std::vector<std::string> words;
  for (const std::string_view text : own) {
    for (const auto part : std::views::split(text, ' ')) {
      const std::string_view word(part.begin(), part.end());
      if (word.size() >= kOwnWordMin) words.emplace_back(word.substr(0, kLookedAtMax));
    }
  }
  std::vector<const char*> list;
  for (const std::string& word : words) list.push_back(word.c_str());
  list.push_back(nullptr);
  const std::string looked_at(password.substr(0, kLookedAtMax));
  return ZxcvbnMatch(looked_at.c_str(), list.data(), nullptr) < kEntropyMin;
}

}  // namespace tideline::crypto
