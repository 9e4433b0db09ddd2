#include "scoring/domain/rules.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/check.hpp"

namespace tideline::scoring {
namespace {

constexpr std::array<std::string_view, kReasonCount> kNames = {
    "sign-in",           "profile-viewed", "contact",   "followed",
    "project-published", "project-edited", "comment",   "vote-received",
    "vote-cast",         "advice-adopted", "adjustment"};

}  // namespace

std::string_view name_of(Reason reason) { return kNames.at(static_cast<std::size_t>(reason)); }

std::optional<Reason> reason_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Reason>(found - kNames.begin());
}

const Rule* RuleSet::find(Reason reason) const {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const Rule& rule) { return rule.reason == reason; });
  return found == rules.end() ? nullptr : &*found;
}

RuleBook::RuleBook(std::vector<RuleSet> sets) : sets_(std::move(sets)) {
  CHECK(!sets_.empty(), "a book without rules");
  CHECK(std::is_sorted(sets_.begin(), sets_.end(),
                       [](const RuleSet& a, const RuleSet& b) { return a.from < b.from; }),
        "rule sets in another order than their days");
}

const RuleSet& RuleBook::on(core::Day campus_day) const {
  const auto after =
      std::upper_bound(sets_.begin(), sets_.end(), campus_day,
                       [](core::Day day, const RuleSet& set) { return day < set.from; });
  return after == sets_.begin() ? sets_.front() : *std::prev(after);
}

const RuleBook& RuleBook::standard() {
  static const RuleBook kBook({{.version = 1,
                                .from = core::Day{},
                                .rules = {
                                    {Reason::SignIn, 3, 0},
                                    {Reason::ProfileViewed, 1, 0, 100},
                                    {Reason::Contact, 5, 0},
                                    {Reason::Followed, 4, 0},
                                    {Reason::ProjectPublished, 10, 5},
                                    {Reason::ProjectEdited, 0, 1, 5},
                                    {Reason::Comment, 2, 2, 50},
                                    {Reason::VoteReceived, 2, 0},
                                    {Reason::VoteCast, 0, 1},
                                    {Reason::AdviceAdopted, 5, 3, 10},
                                }}});
  return kBook;
}

Levels::Levels(std::vector<std::int64_t> thresholds) : thresholds_(std::move(thresholds)) {
  CHECK(!thresholds_.empty(), "there is at least one level");
  CHECK(std::adjacent_find(thresholds_.begin(), thresholds_.end(), std::greater_equal<>()) ==
            thresholds_.end(),
        "levels in another order than their points");
}

std::int64_t Levels::level_of(std::int64_t points) const {
  return std::upper_bound(thresholds_.begin(), thresholds_.end(), points) - thresholds_.begin();
}

std::optional<std::int64_t> Levels::next_at(std::int64_t points) const {
  const auto next = std::upper_bound(thresholds_.begin(), thresholds_.end(), points);
  if (next == thresholds_.end()) return std::nullopt;
  return *next;
}

const Levels& Levels::standard() {
  static const Levels kLevels({0, 50, 150, 400, 1'000, 2'500, 6'000, 15'000, 40'000, 100'000});
  return kLevels;
}

}  // namespace tideline::scoring
