// Facts about UTF-8 text. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tideline::core {

// Number of code points; nullopt for bytes that are not well-formed UTF-8 (RFC 3629).
std::optional<std::size_t> code_points(std::string_view text);

// A user_id as people know it (a student number): 1 to 64 of the characters A-Z a-z 0-9 . _ -
// It may begin with zeros; "007" and "7" are two people. Four words are nobody's, since they stand
// in paths where a user_id may stand too: me, hidden, hidden-from, rules.
bool is_user_id(std::string_view text);

}  // namespace tideline::core
