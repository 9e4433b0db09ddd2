// Rules in plain numbers, and what their stream says read as plain JSON: for expectations that need
// nothing of the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::scoring {

// What a reason earns, in plain numbers; a reason that has none earns nothing.
struct PlainRule {
  std::int64_t points = 0;
  std::int64_t contribution = 0;
  std::int64_t cap = 0;  // 0 = none
};
using PlainRules = std::map<std::string, PlainRule>;

inline const PlainRules& first_rules() {
  static const PlainRules kRules = {{"sign-in", {3, 0, 0}},
                                    {"profile-viewed", {1, 0, 100}},
                                    {"contact", {5, 0, 200}},
                                    {"followed", {4, 0, 200}},
                                    {"project-published", {10, 5, 5}},
                                    {"project-edited", {0, 1, 5}},
                                    {"comment", {2, 2, 50}},
                                    {"vote-received", {2, 0, 200}},
                                    {"vote-cast", {0, 1, 50}},
                                    {"advice-adopted", {5, 3, 10}}};
  return kRules;
}

class PlainRuleStream {
 public:
  explicit PlainRuleStream(const std::vector<eventsourcing::RecordedEvent>& stream) {
    versions_[1] = first_rules();
    for (const auto& event : stream) {
      const auto data = nlohmann::json::parse(event.data);
      if (event.type == "RulesChanged") {
        add_version(data);
      } else {
        add_days(data);
      }
    }
  }

  // By its number since 1970.
  const PlainRules& of_day(std::int64_t day) const {
    const auto settled = version_of_day_.find(day);
    CHECK(settled != version_of_day_.end(), "something was counted of a day that is not settled");
    return versions_.at(settled->second);
  }
  std::size_t days_by_version(std::int64_t version) const {
    std::size_t days = 0;
    for (const auto& [day, by] : version_of_day_) days += by == version ? 1 : 0;
    return days;
  }

 private:
  void add_version(const nlohmann::json& data) {
    PlainRules& rules = versions_[data.at("version").get<std::int64_t>()];
    for (const auto& rule : data.at("rules")) {
      const auto number = [&](const char* field) {
        const auto& value = rule.at(field);
        return value.is_null() ? 0 : value.get<std::int64_t>();
      };
      rules[rule.at("reason").get<std::string>()] = {number("points"), number("contribution"),
                                                     number("cap_per_day")};
    }
  }
  void add_days(const nlohmann::json& data) {
    for (const auto& one : data.at("days")) {
      const auto day = core::parse_day(one.at("day").get<std::string>()).value();
      const bool added =
          version_of_day_
              .emplace(day.time_since_epoch().count(), one.at("version").get<std::int64_t>())
              .second;
      CHECK(added, "a day was settled twice");
    }
  }

  std::map<std::int64_t, PlainRules> versions_;
  std::map<std::int64_t, std::int64_t> version_of_day_;
};

}  // namespace tideline::scoring
