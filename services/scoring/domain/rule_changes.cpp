#include "scoring/domain/rule_changes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tideline::scoring {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

const Rejection kOutOfBounds{RejectionKind::Invalid, "rule-out-of-bounds",
                             "a rule gives no more points, contributions and events a day than any"
                             " rule may, and adjustments have none"};
const Rejection kRepeated{RejectionKind::Invalid, "rule-repeated", "a reason has one rule"};
const Rejection kLevels{RejectionKind::Invalid, "levels-out-of-order",
                        "1 to 100 levels begin at points that rise"};
const Rejection kCountedOtherwise{RejectionKind::Conflict, "counted-by-other-rules",
                                  "a day goes by another version of the rules"};

bool within_bounds(const Rule& rule) {
  return rule.reason != Reason::Adjustment && rule.points >= -Rule::kPointsMax &&
         rule.points <= Rule::kPointsMax && rule.contribution >= 0 &&
         rule.contribution <= Rule::kContributionMax &&
         (!rule.cap_per_day || (*rule.cap_per_day > 0 && *rule.cap_per_day <= Rule::kCapMax));
}

bool has_repeated(const std::vector<Rule>& rules) {
  std::array<bool, kReasonCount> seen{};
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    return std::exchange(seen.at(static_cast<std::size_t>(rule.reason)), true);
  });
}

bool are_levels(const std::vector<std::int64_t>& points) {
  return points.size() <= Levels::kCountMax && Levels::may_begin_at(points) &&
         points.front() >= -Levels::kPointsMax && points.back() <= Levels::kPointsMax;
}

Decision<RuleChanges::Event> decide_change(const RuleBook& book, const ChangeRules& wanted) {
  if (!std::all_of(wanted.rules.begin(), wanted.rules.end(), within_bounds)) return kOutOfBounds;
  if (has_repeated(wanted.rules)) return kRepeated;
  if (!are_levels(wanted.level_points)) return kLevels;
  const RuleSet& newest = book.newest();
  RuleSet next{.version = newest.version + 1,
               .from = wanted.today + std::chrono::days(1),
               .rules = wanted.rules,
               .levels = Levels(wanted.level_points)};
  if (next.rules == newest.rules && next.levels == newest.levels) {
    return Decision<RuleChanges::Event>::nothing();
  }
  // A day that somebody's clock has begun early goes by what it was counted by.
  while (book.settled(next.from)) next.from += std::chrono::days(1);
  return Decision<RuleChanges::Event>::of(RulesChanged{std::move(next), wanted.operator_id});
}

Decision<RuleChanges::Event> decide_settling(const RuleBook& book, const SettleDays& wanted) {
  RuleDaysSettled settled;
  for (const CountedDay& counted : wanted.days) {
    if (book.on(counted.day).version != counted.version) return kCountedOtherwise;
    if (!book.settled(counted.day)) settled.days.push_back(counted);
  }
  if (settled.days.empty()) return Decision<RuleChanges::Event>::nothing();
  return Decision<RuleChanges::Event>::of(std::move(settled));
}

}  // namespace

RuleChanges::State RuleChanges::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const RulesChanged& changed) { state.book.add(changed.set); },
                        [&](const RuleDaysSettled& settled) {
                          for (const CountedDay& counted : settled.days) {
                            state.book.settle(counted);
                          }
                        }},
             event);
  state.version = core::StreamVersion(state.version.value() + 1);
  return state;
}

Decision<RuleChanges::Event> RuleChanges::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{[&](const ChangeRules& wanted) { return decide_change(state.book, wanted); },
                 [&](const SettleDays& wanted) { return decide_settling(state.book, wanted); }},
      command);
}

}  // namespace tideline::scoring
