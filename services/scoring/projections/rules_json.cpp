#include "scoring/projections/rules_json.hpp"

#include <utility>

namespace tideline::scoring {

using nlohmann::json;

json rules_json(const RuleSet& set) {
  json list = json::array();
  for (const Rule& rule : set.rules) {
    list.push_back({{"reason", name_of(rule.reason)},
                    {"points", rule.points},
                    {"contribution", rule.contribution},
                    {"cap_per_day", rule.cap_per_day ? json(*rule.cap_per_day) : json(nullptr)}});
  }
  return list;
}

json levels_json(const Levels& levels) {
  json list = json::array();
  for (const std::int64_t points : levels.thresholds()) {
    list.push_back({{"level", levels.level_of(points)}, {"points", points}});
  }
  return list;
}

json rule_set_json(const RuleSet& set) {
  return {{"version", set.version},
          {"from", core::format_day(set.from)},
          {"rules", rules_json(set)},
          {"levels", levels_json(set.levels)}};
}

}  // namespace tideline::scoring
