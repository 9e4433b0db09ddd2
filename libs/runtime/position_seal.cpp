#include "runtime/position_seal.hpp"

#include "crypto/digest.hpp"

namespace tideline::runtime {
namespace {

// No user_id holds a colon, so that no account id is ever the mac of a token.
std::string mac_of(const crypto::AccountIds& keyed, std::string_view token) {
  return keyed.of("position:" + std::string(token)).to_string();
}

}  // namespace

http::PositionSeal make_position_seal(const crypto::AccountIds& keyed) {
  return {
      [keyed](std::string_view token) { return std::string(token) + "." + mac_of(keyed, token); },
      [keyed](std::string_view sealed) -> std::optional<std::string> {
        const auto dot = sealed.rfind('.');
        if (dot == std::string_view::npos) return std::nullopt;
        const std::string_view token = sealed.substr(0, dot);
        if (!crypto::equal_in_constant_time(sealed.substr(dot + 1), mac_of(keyed, token))) {
          return std::nullopt;
        }
        return std::string(token);
      }};
}

}  // namespace tideline::runtime
