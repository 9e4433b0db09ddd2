#include "crypto/codes.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/encoding.hpp"
#include "crypto/digest.hpp"

namespace tideline::crypto {
namespace {

constexpr std::size_t kTimeBytes = 4;
using Code = std::array<std::uint8_t, kTimeBytes + std::tuple_size_v<KeyedHash::Value>>;

std::uint32_t seconds_of(core::Timestamp time) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

std::string code_of(const KeyedHash& hash, std::string_view subject, std::uint32_t expires) {
  Code code{};
  const auto value = hash.of("code:" + std::to_string(expires) + ":" + std::string(subject));
  for (std::size_t i = 0; i < kTimeBytes; ++i) {
    code[i] = static_cast<std::uint8_t>(expires >> (8 * (kTimeBytes - 1 - i)));
  }
  std::ranges::copy(value, code.begin() + kTimeBytes);
  return core::to_base32(code);
}

}  // namespace

std::string Codes::make(std::string_view subject, core::Timestamp expires_at) const {
  return code_of(hash_, subject, seconds_of(expires_at));
}

bool Codes::accepts(std::string_view code, std::string_view subject, core::Timestamp now) const {
  Code bytes{};
  if (code.size() != kLength || !core::read_base32(code, bytes)) return false;
  std::uint32_t expires = 0;
  for (std::size_t i = 0; i < kTimeBytes; ++i) expires = expires << 8U | bytes[i];
  const bool is_ours = equal_in_constant_time(code, code_of(hash_, subject, expires));
  return is_ours && seconds_of(now) < expires;
}

}  // namespace tideline::crypto
