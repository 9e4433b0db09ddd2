// A seal that anybody could make: for tests of what is sealed, not of the sealing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/messages/text_seal.hpp"

namespace tideline::test_support {

inline http::TextSeal plain_seal() {
  constexpr std::string_view kMac = ".sealed";
  return {[=](std::string_view text) { return std::string(text).append(kMac); },
          [=](std::string_view sealed) -> std::optional<std::string> {
            if (!sealed.ends_with(kMac)) return std::nullopt;
            return std::string(sealed.substr(0, sealed.size() - kMac.size()));
          }};
}

}  // namespace tideline::test_support
