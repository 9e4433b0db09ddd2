// Rules and levels as answers and events write them. Pure, thread-safe.
#pragma once

#include <nlohmann/json.hpp>

#include "scoring/domain/rules.hpp"

namespace tideline::scoring {

// [{"reason", "points", "contribution", "cap_per_day"}]
nlohmann::json rules_json(const RuleSet& set);
// [{"level", "points"}], from level 1 on
nlohmann::json levels_json(const Levels& levels);
// {"version", "from", "rules", "levels"}
nlohmann::json rule_set_json(const RuleSet& set);

}  // namespace tideline::scoring
