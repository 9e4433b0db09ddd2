// What earns points and contributions, and where levels begin: rules as data, with a version.
//
// A rule counts once for each event of its reason; with a cap only the first `cap_per_day` events
// of a (person, reason, campus day) count. Rules, caps and days go by the time of the event. A
// change of rules is a new RuleSet that begins with a day (rule_changes.hpp), so that every replay
// gives what was given first.
//
// Values without threads of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/clock.hpp"

namespace tideline::scoring {

enum class Reason : std::uint8_t {
  SignIn,
  ProfileViewed,
  Contact,
  Followed,
  ProjectPublished,
  ProjectEdited,
  Comment,
  VoteReceived,
  VoteCast,
  AdviceAdopted,
  Adjustment,  // by an operator; has no rule, its event says how much
};
inline constexpr std::size_t kReasonCount = 11;

// "sign-in", "profile-viewed", ...: stored in tables and shown in answers, never to be changed.
std::string_view name_of(Reason reason);
std::optional<Reason> reason_named(std::string_view name);

struct Rule {
  Reason reason = Reason::SignIn;
  std::int64_t points = 0;
  std::int64_t contribution = 0;               // weighted activity on projects, for the calendar
  std::optional<std::uint32_t> cap_per_day{};  // events that count; nullopt = all

  static constexpr std::int64_t kPointsMax = 1'000;  // either way
  static constexpr std::int64_t kContributionMax = 1'000;
  static constexpr std::int64_t kCapMax = 1'000'000;
  friend bool operator==(const Rule&, const Rule&) = default;
};

// Levels by thresholds: level n begins at the n-th. Below the first there is level 0.
class Levels {
 public:
  // Strictly rising, not empty.
  static bool may_begin_at(const std::vector<std::int64_t>& thresholds);
  explicit Levels(std::vector<std::int64_t> thresholds);

  std::int64_t level_of(std::int64_t points) const;
  // Points at which the next level begins; nullopt on the highest.
  std::optional<std::int64_t> next_at(std::int64_t points) const;
  const std::vector<std::int64_t>& thresholds() const { return thresholds_; }

  static const Levels& standard();

  static constexpr std::size_t kCountMax = 100;
  static constexpr std::int64_t kPointsMax = 1'000'000'000'000;  // either way
  friend bool operator==(const Levels&, const Levels&) = default;

 private:
  std::vector<std::int64_t> thresholds_;
};

struct RuleSet {
  int version = 1;
  core::Day from;  // first campus day on which it holds
  std::vector<Rule> rules;
  Levels levels = Levels::standard();

  // nullptr: the reason earns nothing.
  const Rule* find(Reason reason) const;
  friend bool operator==(const RuleSet&, const RuleSet&) = default;
};

// A day and the version of the rules that it is counted by.
struct CountedDay {
  core::Day day;
  int version = 0;
  friend bool operator==(const CountedDay&, const CountedDay&) = default;
};

// All versions of the rules, and which one a day goes by. A day that is settled keeps its version
// whatever is added later; any other goes by the newest of those that begin with it or before.
class RuleBook {
 public:
  // At least one set, with rising versions; days before all of them go by the first.
  explicit RuleBook(std::vector<RuleSet> sets);

  const RuleSet& on(core::Day campus_day) const;
  // Of those that there are.
  const RuleSet& version(int number) const;
  const RuleSet& newest() const { return sets_.back(); }
  // Those that begin after `campus_day` and before any newer one, in the order of their days.
  std::vector<RuleSet> coming_after(core::Day campus_day) const;

  bool settled(core::Day campus_day) const;
  // Newer than all others.
  void add(RuleSet set);
  // From now on the day goes by that version. Of a day that is not settled.
  void settle(const CountedDay& counted);

  static const RuleBook& standard();

 private:
  std::vector<CountedDay>::const_iterator place_of(core::Day day) const;

  std::vector<RuleSet> sets_;
  std::vector<CountedDay> settled_;  // by day
};

}  // namespace tideline::scoring
