// What earns points and contributions: rules as data, with a version.
//
// A rule counts once for each event of its reason; with a cap only the first `cap_per_day` events
// of a (person, reason, campus day) count. Rules, caps and days go by the time of the event. A
// change of rules is a new RuleSet that begins with a day, so that every replay gives what was
// given first.
//
// Values without behaviour of their own; immutable after construction, so shared between threads.
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
};

struct RuleSet {
  int version = 1;
  core::Day from;  // first campus day on which it holds
  std::vector<Rule> rules;

  // nullptr: the reason earns nothing.
  const Rule* find(Reason reason) const;
};

class RuleBook {
 public:
  // At least one set, in the order of their days; what was before the first goes by the first.
  explicit RuleBook(std::vector<RuleSet> sets);

  const RuleSet& on(core::Day campus_day) const;

  static const RuleBook& standard();

 private:
  std::vector<RuleSet> sets_;
};

// Levels by thresholds: level n begins at the n-th. Below the first there is level 0.
class Levels {
 public:
  // Strictly rising, not empty.
  explicit Levels(std::vector<std::int64_t> thresholds);

  std::int64_t level_of(std::int64_t points) const;
  // Points at which the next level begins; nullopt on the highest.
  std::optional<std::int64_t> next_at(std::int64_t points) const;
  const std::vector<std::int64_t>& thresholds() const { return thresholds_; }

  static const Levels& standard();

 private:
  std::vector<std::int64_t> thresholds_;
};

}  // namespace tideline::scoring
