// Who is asking, as a verified token says it. A value type: copy it freely, share it between
// threads once it no longer changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"

namespace tideline::http {

inline constexpr std::string_view kOperatorRole = "operator";
inline constexpr std::string_view kModeratorRole = "moderator";

struct Principal {
  core::AccountId account;
  std::vector<std::string> roles{};
  // The session in which the token was issued, and under which password; empty and 0: not said.
  std::string session_id{};
  std::uint32_t password_version = 0;

  [[nodiscard]] bool has_role(std::string_view role) const {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  }
};

}  // namespace tideline::http
