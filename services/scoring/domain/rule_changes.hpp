// How the rules change: one stream for the whole installation, of new versions and of days that are
// settled. A version begins with the campus day after its change. A day is settled, with the
// version that it goes by, before anything that it earned becomes durable: so which rules a day
// goes by is said by this stream alone, wherever and in which order the events of other streams are
// seen (docs/adr/0022).
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "scoring/domain/rules.hpp"

namespace tideline::scoring {

// Events
struct RulesChanged {
  RuleSet set;
  core::AccountId operator_id;  // "operator" in the stored form
  friend bool operator==(const RulesChanged&, const RulesChanged&) = default;
};
struct RuleDaysSettled {
  std::vector<CountedDay> days;
  friend bool operator==(const RuleDaysSettled&, const RuleDaysSettled&) = default;
};

// Commands
struct ChangeRules {
  core::Day today;  // of the campus
  std::vector<Rule> rules;
  std::vector<std::int64_t> level_points;  // where levels begin
  core::AccountId operator_id;
};
struct SettleDays {
  std::vector<CountedDay> days;  // each once
};

struct RuleChanges {
  // Each of them counts. Days are settled once, rules are changed by operators: a century's events.
  static constexpr std::uint32_t kEventsMax = 40'000;

  using Event = std::variant<RulesChanged, RuleDaysSettled>;

  struct State {
    RuleBook book = RuleBook::standard();
    core::StreamVersion version;  // of the stream
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ChangeRules, SettleDays>;
  // SettleDays is rejected when one of the days goes by another version.
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::scoring
