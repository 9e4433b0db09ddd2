// A place on the board as a cursor carries it: "<points>,<reached_at>,<account id>". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scoring/projections/engine/rank_board.hpp"

namespace tideline::scoring {

std::string board_place_text(const BoardEntry& entry);
// nullopt for anything that board_place_text() would not have written.
std::optional<BoardEntry> parse_board_place(std::string_view text);

}  // namespace tideline::scoring
