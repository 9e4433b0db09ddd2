#include "crypto/totp.hpp"

#include <liboath/oath.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::crypto {
namespace {

constexpr std::size_t kSecretBytes = 20;
constexpr std::size_t kDigits = 6;
constexpr std::size_t kStepsToEitherSide = 1;

using Secret = std::array<std::uint8_t, kSecretBytes>;

std::optional<Secret> bytes_of(std::string_view secret) {
  std::string lower(secret);
  for (char& c : lower) {
    if (c >= 'a' && c <= 'z') return std::nullopt;  // one form only
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  Secret bytes{};
  if (!core::read_base32(lower, bytes)) return std::nullopt;
  return bytes;
}

}  // namespace

std::string new_totp_secret(core::Random& random) {
  Secret bytes{};
  random.fill(bytes);
  std::string text = core::to_base32(bytes);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

bool is_totp_secret(std::string_view secret) { return bytes_of(secret).has_value(); }

std::string totp_uri(std::string_view secret, std::string_view issuer, std::string_view account) {
  return "otpauth://totp/" + std::string(issuer) + ":" + std::string(account) +
         "?secret=" + std::string(secret) + "&issuer=" + std::string(issuer);
}

std::optional<std::int64_t> totp_step(std::string_view secret, std::string_view code,
                                      core::Timestamp now) {
  static const bool ready = oath_init() == OATH_OK;
  CHECK(ready, "liboath starts");
  const auto bytes = bytes_of(secret);
  const bool digits = code.size() == kDigits &&
                      std::ranges::all_of(code, [](char c) { return c >= '0' && c <= '9'; });
  if (!bytes || !digits) return std::nullopt;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::uint64_t step = 0;
  int position = 0;
  const int found =
      oath_totp_validate4(reinterpret_cast<const char*>(bytes->data()), bytes->size(), seconds,
                          OATH_TOTP_DEFAULT_TIME_STEP_SIZE, OATH_TOTP_DEFAULT_START_TIME,
                          kStepsToEitherSide, &position, &step, 0, std::string(code).c_str());
  if (found < 0) return std::nullopt;
  return static_cast<std::int64_t>(step);
}

}  // namespace tideline::crypto
