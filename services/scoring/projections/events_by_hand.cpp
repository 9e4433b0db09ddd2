#include "scoring/projections/events_by_hand.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "eventsourcing/projections/projection.hpp"
#include "scoring/projections/rules_json.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::EventData;

Rated read_rated(const EventData& data) {
  const auto kind = rating_kind_named(data.text("kind"));
  if (!kind) throw eventsourcing::PoisonEvent("a rating of another kind: " + data.text("kind"));
  const std::string subject =
      *kind == RatingKind::Person ? data.account("subject").to_string() : data.id("subject");
  const Rated rated{
      data.account("rater"), {*kind, subject}, data.integer("stars"), data.integer("before")};
  if (rated.stars < Rating::kStarsMin || rated.stars > Rating::kStarsMax || rated.before < 0 ||
      rated.before > Rating::kStarsMax) {
    throw eventsourcing::PoisonEvent("a rating of other than 1 to 5 stars");
  }
  return rated;
}

int read_version(const EventData& data) {
  const std::int64_t version = data.integer("version");
  if (version < 1 || version > std::numeric_limits<int>::max()) {
    throw eventsourcing::PoisonEvent("rules of no good version");
  }
  return static_cast<int>(version);
}

Rule read_rule(const EventData& data) {
  const auto reason = reason_named(data.text("reason"));
  if (!reason) throw eventsourcing::PoisonEvent("a rule of another reason: " + data.text("reason"));
  Rule rule{*reason, data.integer("points"), data.integer("contribution")};
  if (const auto cap = data.nullable_integer("cap_per_day")) {
    if (*cap < 1 || *cap > Rule::kCapMax) throw eventsourcing::PoisonEvent("a cap of no events");
    rule.cap_per_day = static_cast<std::uint32_t>(*cap);
  }
  return rule;
}

RulesChanged read_rules_changed(const EventData& data) {
  std::vector<std::int64_t> points;
  for (const EventData& level : data.objects("levels")) points.push_back(level.integer("points"));
  if (!Levels::may_begin_at(points)) {
    throw eventsourcing::PoisonEvent("levels in another order than their points");
  }
  RuleSet set{.version = read_version(data),
              .from = data.day("from"),
              .rules = {},
              .levels = Levels(std::move(points))};
  for (const EventData& rule : data.objects("rules")) set.rules.push_back(read_rule(rule));
  return RulesChanged{std::move(set), data.account("operator")};
}

RuleDaysSettled read_rule_days_settled(const EventData& data) {
  RuleDaysSettled settled;
  for (const EventData& day : data.objects("days")) {
    settled.days.push_back({day.day("day"), read_version(day)});
  }
  return settled;
}

}  // namespace
}  // namespace tideline::scoring

namespace tideline::eventsourcing {

std::string Stored<scoring::Rated>::encode(const scoring::Rated& event, TextSealer&) {
  return nlohmann::json{{"rater", event.rater.to_string()},
                        {"kind", name_of(event.subject.kind)},
                        {"subject", event.subject.id},
                        {"stars", event.stars},
                        {"before", event.before}}
      .dump();
}

scoring::Rated Stored<scoring::Rated>::read(const EventData& data) {
  return scoring::read_rated(data);
}

std::string Stored<scoring::RulesChanged>::encode(const scoring::RulesChanged& event, TextSealer&) {
  nlohmann::json data = scoring::rule_set_json(event.set);
  data["operator"] = event.operator_id.to_string();
  return data.dump();
}

scoring::RulesChanged Stored<scoring::RulesChanged>::read(const EventData& data) {
  return scoring::read_rules_changed(data);
}

std::string Stored<scoring::RuleDaysSettled>::encode(const scoring::RuleDaysSettled& event,
                                                     TextSealer&) {
  nlohmann::json days = nlohmann::json::array();
  for (const auto& counted : event.days) {
    days.push_back({{"day", core::format_day(counted.day)}, {"version", counted.version}});
  }
  return nlohmann::json{{"days", std::move(days)}}.dump();
}

scoring::RuleDaysSettled Stored<scoring::RuleDaysSettled>::read(const EventData& data) {
  return scoring::read_rule_days_settled(data);
}

}  // namespace tideline::eventsourcing
