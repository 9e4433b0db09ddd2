#include "scoring/api/score_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tideline::scoring {

using http::Json;

RuleSet rules_of_today(const ApiPorts& ports) {
  return ports.scores.rules()->book.on(ports.campus.day_of(ports.clock.now()));
}

Json total_json(const ApiPorts& ports, const Total& total) {
  const Levels levels = rules_of_today(ports).levels;
  const auto next = levels.next_at(total.points_of_all_time);
  Json written = {{"points", total.points},
                  {"level", levels.level_of(total.points_of_all_time)},
                  {"next_level_at", next ? Json(*next) : Json(nullptr)},
                  {"rank", nullptr},
                  {"rank_exact", false},
                  {"top_percent", nullptr},
                  {"percentile", nullptr}};
  if (!total.rank) return written;
  const bool exact = *total.rank <= static_cast<std::uint64_t>(ports.rank_exact_max);
  written["rank"] = *total.rank;
  written["rank_exact"] = exact;
  written["percentile"] = total.below * 100 / total.members;
  if (!exact) written["top_percent"] = (*total.rank * 100 + total.members - 1) / total.members;
  return written;
}

Json entry_json(const ApiPorts& ports, const RankedEntry& ranked, Json user) {
  return {{"rank", ranked.rank},
          {"user", std::move(user)},
          {"points", ranked.entry.points},
          {"level", rules_of_today(ports).levels.level_of(ranked.points_of_all_time)}};
}

}  // namespace tideline::scoring
