// Changes of rules against a plain recomputation. rapidcheck prints the seed of a failure;
// RC_PARAMS="seed=..." runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>

#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/score_expectations.hpp"

namespace tideline::scoring {
namespace {

using Events = std::vector<eventsourcing::RecordedEvent>;
using std::chrono::hours;

std::vector<Rule> any_rules() {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < kReasonCount - 1; ++i) {
    if (full_range(0, 5) == 0) continue;
    Rule rule{static_cast<Reason>(i), full_range(-3, 12), full_range(0, 4)};
    if (full_range(0, 2) == 0) rule.cap_per_day = static_cast<std::uint32_t>(full_range(1, 9));
    rules.push_back(rule);
  }
  return rules;
}

PlainRules in_plain_numbers(const std::vector<Rule>& rules) {
  PlainRules plain;
  for (const Rule& rule : rules) {
    plain[std::string(name_of(rule.reason))] = {rule.points, rule.contribution,
                                                rule.cap_per_day.value_or(0)};
  }
  return plain;
}

// An engine that is fed, killed and started again, over tables that last.
class KilledEngine {
 public:
  KilledEngine(RulesInMemory& rules, const core::CampusCalendar& campus, const core::Clock& clock)
      : rules_(rules), campus_(campus), clock_(clock) {
    start();
  }

  // What Kafka has brought so far; the next is applied sometime.
  void deliver(const eventsourcing::RecordedEvent& event) { delivered_.push_back(event); }
  void deliver(const Events& events) {
    delivered_.insert(delivered_.end(), events.begin(), events.end());
  }
  void apply(std::size_t events) {
    for (; events > 0 && next_ < delivered_.size(); --events) engine_->apply(delivered_[next_++]);
  }
  void kill() {
    start();
    next_ = committed_;
  }
  void flush() {
    if (try_to_flush(*engine_, tables)) {
      committed_ = next_;
    } else {
      ++turned_back;
      engine_->load(tables);
      next_ = committed_;
    }
  }
  void finish() {
    while (committed_ < delivered_.size() || next_ < delivered_.size()) {
      apply(delivered_.size());
      flush();
    }
  }
  ScoreEngine& engine() { return *engine_; }

  TablesForTests tables;
  int turned_back = 0;

 private:
  void start() {
    engine_ = std::make_unique<ScoreEngine>(rules_.kept, campus_, clock_,
                                            EngineOptions{.band_members = 4});
    engine_->load(tables);
  }

  RulesInMemory& rules_;
  const core::CampusCalendar& campus_;
  const core::Clock& clock_;
  std::unique_ptr<ScoreEngine> engine_;
  Events delivered_;
  std::size_t next_ = 0;
  std::size_t committed_ = 0;
};

void expect_all(KilledEngine& killed, Expected expected) {
  expect_totals(killed.engine(), expected);
  expect_board(killed.engine(), expected);
  expect_calendar(killed.tables, expected);
  killed.kill();
  expect_totals(killed.engine(), expected);
  expect_board(killed.engine(), expected);
}

const ShiftedCalendar kCampus{hours(kHoursAhead)};

// Events come when they have happened or later, in any order; the rules' own topic any time later,
// or never. Then each goes by the last change of a day before its own.
RC_GTEST_PROP(RulesLaw, AChangeAppliesFromTheNextDayHoweverLateItArrives, ()) {
  EventMaker make;
  std::multimap<core::Timestamp, eventsourcing::RecordedEvent> coming;
  Events events = any_history(make);
  for (auto& event : events) {
    if (event.time < kHistoryBegins || event.time > kHistoryBegins + hours(24 * 6)) {
      event.time = kHistoryBegins;  // no clock is wrong here
    }
    const bool late = full_range(0, 3) == 0;
    coming.emplace(event.time + hours(late ? full_range(0, 60) : 0), event);
  }
  core::ManualClock clock(kHistoryBegins);
  RulesInMemory rules(clock);
  KilledEngine killed(rules, kCampus, clock);
  const bool relay_is_frozen = *rc::gen::arbitrary<bool>();
  std::map<std::int64_t, PlainRules> by_day;  // in force from the day after
  core::StreamVersion relayed;
  const auto end = kHistoryBegins + hours(24 * 9);
  while (clock.now() < end) {
    if (full_range(0, 12) == 0) {
      const auto next = any_rules();
      rules.change(kCampus, next);
      by_day[kCampus.day_of(clock.now()).time_since_epoch().count()] = in_plain_numbers(next);
    }
    while (!coming.empty() && coming.begin()->first <= clock.now()) {
      killed.deliver(coming.extract(coming.begin()).mapped());
    }
    if (!relay_is_frozen && full_range(0, 6) == 0) {
      const Events more = rules.events(relayed);
      if (!more.empty()) relayed = more.back().version;
      killed.deliver(more);
    }
    killed.apply(static_cast<std::size_t>(full_range(0, 60)));
    if (full_range(0, 3) == 0) killed.flush();
    if (full_range(0, 12) == 0) killed.kill();
    clock.advance(hours(full_range(1, 5)));
  }
  killed.finish();
  expect_all(killed, recompute(events, [&](std::int64_t day) -> const PlainRules& {
               const auto after = by_day.lower_bound(day);
               return after == by_day.begin() ? first_rules() : std::prev(after)->second;
             }));
  RC_TAG(killed.turned_back > 0 ? "turned back by a change" : "never turned back");
}

// Clocks may be wrong by years, and a replay meets other interleavings and all changes at once: a
// day is counted by one version, always the same, and every event of it by that one.
RC_GTEST_PROP(RulesLaw, AnyInterleavingAndAnyReplayCountADayByTheSameRules, ()) {
  EventMaker make;
  Events events = any_history(make);
  core::ManualClock clock(any_now());
  RulesInMemory rules(clock);
  std::vector<std::unique_ptr<KilledEngine>> replays;
  for (int replay = 0; replay < 3; ++replay) {
    shuffle(events);
    auto& killed = *replays.emplace_back(std::make_unique<KilledEngine>(rules, kCampus, clock));
    killed.deliver(events);
    core::StreamVersion relayed;
    for (std::size_t step = 0; step < 12; ++step) {
      if (replay == 0 && full_range(0, 4) == 0) rules.change(kCampus, any_rules());
      killed.apply(static_cast<std::size_t>(full_range(0, 80)));
      if (full_range(0, 2) == 0) killed.flush();
      if (full_range(0, 4) == 0) killed.kill();
      if (full_range(0, 4) == 0) {
        const Events more = rules.events(relayed);
        if (!more.empty()) relayed = more.back().version;
        killed.deliver(more);
      }
      clock.advance(hours(full_range(0, 30)));
    }
    killed.finish();
  }
  const PlainRuleStream stream(rules.events());
  const Expected expected =
      recompute(events, [&](std::int64_t day) -> const PlainRules& { return stream.of_day(day); });
  for (const auto& killed : replays) expect_all(*killed, expected);
}

}  // namespace
}  // namespace tideline::scoring
