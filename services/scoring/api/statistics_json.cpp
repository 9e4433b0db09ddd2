#include "scoring/api/statistics_json.hpp"

#include <nlohmann/json.hpp>

namespace tideline::scoring {
namespace {

using Json = nlohmann::json;

Json scores_json(const ScoreStatistics& statistics) {
  Json classes = Json::array();
  for (std::size_t i = 0; i < statistics.scores.size(); ++i) {
    const bool first = i == 0;
    const bool last = i == kScoreClasses.size();
    classes.push_back({{"from", first ? Json(nullptr) : Json(kScoreClasses.at(i - 1))},
                       {"below", last ? Json(nullptr) : Json(kScoreClasses.at(i))},
                       {"members", statistics.scores.at(i)}});
  }
  return classes;
}

Json awards_json(const ScoreStatistics& statistics) {
  Json list = Json::array();
  for (const auto& [day, by_reason] : statistics.awards) {
    for (const auto& [reason, count] : by_reason) {
      list.push_back({{"day", core::format_day(day)},
                      {"reason", name_of(reason)},
                      {"events", count.events},
                      {"points", count.points}});
    }
  }
  return list;
}

Json active_json(const ScoreStatistics& statistics) {
  Json days = Json::array();
  for (const auto& [day, people] : statistics.active_by_day) {
    days.push_back({{"day", core::format_day(day)}, {"people", people}});
  }
  return {{"day", statistics.active_on_day},
          {"week", statistics.active_in_week},
          {"month", statistics.active_in_month},
          {"by_day", std::move(days)}};
}

}  // namespace

std::string statistics_json(const ScoreStatistics& statistics) {
  Json levels = Json::array();
  for (std::size_t level = 0; level < statistics.levels.size(); ++level) {
    levels.push_back({{"level", level}, {"members", statistics.levels[level]}});
  }
  return Json{{"as_of", core::format_iso8601(statistics.taken_at)},
              {"day", core::format_day(statistics.day)},
              {"members", statistics.members},
              {"scores", scores_json(statistics)},
              {"levels", std::move(levels)},
              {"awards", awards_json(statistics)},
              {"active", active_json(statistics)}}
      .dump();
}

}  // namespace tideline::scoring
