// Points and ranks as answers show them. Pure, thread-safe.
#pragma once

#include "http/messages/message.hpp"
#include "scoring/api/ports.hpp"

namespace tideline::scoring {

// Of the campus day on which it is asked.
RuleSet rules_of_today(const ApiPorts& ports);

// {"points", "level", "next_level_at", "rank", "rank_exact", "top_percent", "percentile"}. Points
// and rank are those of a board, levels go by the points of all time; percentile is the share of
// the board with fewer points, in whole percent rounded down. Beyond the ranks that are shown as
// exact comes the smallest whole percentage of the board that the rank lies within; null there: the
// rank says it all. Rank null: not on the board.
http::Json total_json(const ApiPorts& ports, const Total& total);

// {"rank", "user", "points", "level"}
http::Json entry_json(const ApiPorts& ports, const RankedEntry& ranked, http::Json user);

}  // namespace tideline::scoring
