#include "scoring/api/rule_changes_codec.hpp"

#include <nlohmann/json.hpp>

#include "scoring/api/rules_json.hpp"
#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent RuleChangesCodec::encode(const RuleChanges::Event& event) const {
  return std::visit(Overloaded{[](const RulesChanged& changed) {
                                 nlohmann::json data = rule_set_json(changed.set);
                                 data["operator"] = changed.operator_id.to_string();
                                 return NewEvent{.type = "RulesChanged", .data = data.dump()};
                               },
                               [](const RuleDaysSettled& settled) {
                                 nlohmann::json days = nlohmann::json::array();
                                 for (const CountedDay& counted : settled.days) {
                                   days.push_back({{"day", core::format_day(counted.day)},
                                                   {"version", counted.version}});
                                 }
                                 const nlohmann::json data = {{"days", std::move(days)}};
                                 return NewEvent{.type = "RuleDaysSettled", .data = data.dump()};
                               }},
                    event);
}

std::optional<RuleChanges::Event> RuleChangesCodec::decode(const RecordedEvent& recorded) const {
  try {
    const auto fact = read_fact(recorded);
    if (!fact) return std::nullopt;
    if (const auto* changed = std::get_if<RulesChanged>(&*fact)) return *changed;
    if (const auto* settled = std::get_if<RuleDaysSettled>(&*fact)) return *settled;
    return std::nullopt;
  } catch (const eventsourcing::PoisonEvent& poison) {
    // In the own store that is damage, not input.
    throw eventsourcing::CodecFailed(core::internal_error(poison.what()));
  }
}

}  // namespace tideline::scoring
