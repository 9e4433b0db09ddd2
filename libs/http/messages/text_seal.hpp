// Keeps texts that clients send back from being made up: what leaves is sealed, and only what was
// sealed comes in. A port; both functions are called from many threads at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tideline::http {

struct TextSeal {
  // "<text>.<mac>"
  std::function<std::string(std::string_view text)> seal;
  // nullopt: not sealed by this installation.
  std::function<std::optional<std::string>(std::string_view sealed)> open;
};

}  // namespace tideline::http
