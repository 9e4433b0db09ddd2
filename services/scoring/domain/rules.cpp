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

RuleBook::RuleBook(std::vector<RuleSet> sets) {
  CHECK(!sets.empty(), "a book without rules");
  for (RuleSet& set : sets) add(std::move(set));
}

void RuleBook::add(RuleSet set) {
  CHECK(sets_.empty() || sets_.back().version < set.version, "versions of the rules rise");
  sets_.push_back(std::move(set));
}

std::vector<CountedDay>::const_iterator RuleBook::place_of(core::Day day) const {
  return std::lower_bound(settled_.begin(), settled_.end(), day,
                          [](const CountedDay& one, core::Day other) { return one.day < other; });
}

bool RuleBook::settled(core::Day campus_day) const {
  const auto place = place_of(campus_day);
  return place != settled_.end() && place->day == campus_day;
}

void RuleBook::settle(const CountedDay& counted) {
  CHECK(!settled(counted.day), "a day that is settled stays so");
  settled_.insert(place_of(counted.day), counted);
}

const RuleSet& RuleBook::version(int number) const {
  const auto found = std::find_if(sets_.begin(), sets_.end(),
                                  [&](const RuleSet& set) { return set.version == number; });
  CHECK(found != sets_.end(), "a version that there is not");
  return *found;
}

const RuleSet& RuleBook::on(core::Day campus_day) const {
  const auto place = place_of(campus_day);
  if (place != settled_.end() && place->day == campus_day) return version(place->version);
  const auto begun = std::find_if(sets_.rbegin(), sets_.rend(),
                                  [&](const RuleSet& set) { return set.from <= campus_day; });
  return begun == sets_.rend() ? sets_.front() : *begun;
}

std::vector<RuleSet> RuleBook::coming_after(core::Day campus_day) const {
  std::vector<RuleSet> coming;
  for (auto set = sets_.rbegin(); set != sets_.rend() && set->from > campus_day; ++set) {
    if (coming.empty() || set->from < coming.back().from) coming.push_back(*set);
  }
  std::reverse(coming.begin(), coming.end());
  return coming;
}

const RuleBook& RuleBook::standard() {
  static const RuleBook kBook({{.version = 1,
                                .from = core::Day{},
                                .rules = {
                                    {Reason::SignIn, 3, 0},
                                    {Reason::ProfileViewed, 1, 0, 100},
                                    {Reason::Contact, 5, 0, 200},
                                    {Reason::Followed, 4, 0, 200},
                                    {Reason::ProjectPublished, 10, 5, 5},
                                    {Reason::ProjectEdited, 0, 1, 5},
                                    {Reason::Comment, 2, 2, 50},
                                    {Reason::VoteReceived, 2, 0, 200},
                                    {Reason::VoteCast, 0, 1, 50},
                                    {Reason::AdviceAdopted, 5, 3, 10},
                                }}});
  return kBook;
}

bool Levels::may_begin_at(const std::vector<std::int64_t>& thresholds) {
  return !thresholds.empty() && std::adjacent_find(thresholds.begin(), thresholds.end(),
                                                   std::greater_equal<>()) == thresholds.end();
}

Levels::Levels(std::vector<std::int64_t> thresholds) : thresholds_(std::move(thresholds)) {
  CHECK(may_begin_at(thresholds_), "there are levels, in the order of their points");
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
