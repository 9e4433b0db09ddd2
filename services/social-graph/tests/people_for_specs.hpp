// Three people and the ids of things, for specifications.
#pragma once

#include <string>

#include "core/ids.hpp"

namespace tideline::social_graph {

constexpr core::AccountId account_with(std::uint8_t first_byte) {
  core::AccountId::Bytes bytes{};
  bytes[0] = first_byte;
  return core::AccountId(bytes);
}

inline constexpr core::AccountId kAda = account_with(1);
inline constexpr core::AccountId kBob = account_with(2);
inline constexpr core::AccountId kEve = account_with(3);

inline const std::string kTagId = "00000000000000000000000000";
inline const std::string kGroupId = "10000000000000000000000000";

}  // namespace tideline::social_graph
