// Who is asking, as a verified token says it. A value type: copy it freely, share it between
// threads once it no longer changes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"

namespace tideline::http {

inline constexpr std::string_view kOperatorRole = "operator";

struct Principal {
  core::AccountId account;
  std::vector<std::string> roles;

  [[nodiscard]] bool has_role(std::string_view role) const {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  }
};

}  // namespace tideline::http
