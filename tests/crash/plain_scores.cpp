#include "crash/plain_scores.hpp"

#include <algorithm>
#include <array>

namespace tideline::crash {
namespace {

constexpr std::array kReasons = {"sign-in",  "profile-viewed",    "contact",
                                 "followed", "project-published", "project-edited",
                                 "comment",  "vote-received",     "vote-cast"};

struct Count {
  std::int64_t events = 0;
  std::int64_t latest_us = 0;
  void add(std::int64_t time_us) {
    ++events;
    latest_us = std::max(latest_us, time_us);
  }
};

struct OfDay {
  std::array<Count, kReasons.size()> by_reason;
  Count adjusted;
  std::int64_t adjusted_by = 0;
};

struct Person {
  std::map<std::int64_t, OfDay> days;
  std::int64_t events = 0;  // in which he is somebody, once for each that he is
  std::int64_t registered_us = 0;
  bool registered = false;
  bool closed = false;
};

std::size_t place_of(std::string_view reason) {
  return static_cast<std::size_t>(std::find(kReasons.begin(), kReasons.end(), reason) -
                                  kReasons.begin());
}

std::vector<Person> count(const std::vector<Happened>& events, std::size_t size) {
  std::vector<Person> people(size);
  for (const Happened& happened : events) {
    const std::int64_t time = happened.time.time_since_epoch().count();
    const std::int64_t day = time / 86'400'000'000;
    const auto earns = [&](std::uint32_t who, std::string_view reason) {
      people.at(who).days[day].by_reason.at(place_of(reason)).add(time);
    };
    const bool of_pairs = happened.kind == Kind::Contact || happened.kind == Kind::Voted;
    const bool is_repeated = (of_pairs || happened.kind == Kind::Followed) && !happened.first;
    const bool is_nothing = happened.kind == Kind::Adjusted && happened.delta == 0;
    if (is_repeated || is_nothing) continue;
    ++people.at(happened.one).events;
    // Who votes for a project of his own is its voter and its author.
    if (of_pairs) ++people.at(happened.other).events;
    switch (happened.kind) {
      case Kind::Registered:
        people.at(happened.one).registered = true;
        people.at(happened.one).registered_us = time;
        break;
      case Kind::Closed:
        people.at(happened.one).closed = true;
        break;
      case Kind::SignedIn:
        earns(happened.one, "sign-in");
        break;
      case Kind::Viewed:
        earns(happened.one, "profile-viewed");
        break;
      case Kind::Contact:
        earns(happened.one, "contact");
        earns(happened.other, "contact");
        break;
      case Kind::Followed:
        earns(happened.one, "followed");
        break;
      case Kind::Published:
        earns(happened.one, "project-published");
        break;
      case Kind::Edited:
        earns(happened.one, "project-edited");
        break;
      case Kind::Commented:
        earns(happened.one, "comment");
        break;
      case Kind::Voted:
        if (happened.one == happened.other) break;  // a vote of one's own
        earns(happened.one, "vote-received");
        earns(happened.other, "vote-cast");
        break;
      case Kind::Adjusted: {
        OfDay& of_day = people.at(happened.one).days[day];
        of_day.adjusted.add(time);
        of_day.adjusted_by += happened.delta;
      }
    }
  }
  return people;
}

std::string joined(std::int64_t one, std::int64_t other) {
  return std::to_string(one) + " " + std::to_string(other);
}

// What a day comes to: contributions, points, and when the last of these were earned.
struct Earned {
  std::int64_t points = 0;
  std::int64_t contributions = 0;
  std::int64_t latest_us = 0;
  bool any = false;
  void add(std::int64_t more, std::int64_t time_us) {
    points += more;
    latest_us = std::max(latest_us, time_us);
    any = true;
  }
};

Earned add_day(PlainScores& scores, const std::string& key, const OfDay& of_day,
               const scoring::PlainRules& rules) {
  Earned earned;
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    const Count& counted = of_day.by_reason.at(i);
    const auto rule = rules.find(kReasons.at(i));
    if (counted.events == 0 || rule == rules.end()) continue;
    const auto& [points, contribution, cap] = rule->second;
    const std::int64_t counting = cap == 0 ? counted.events : std::min(counted.events, cap);
    const std::string of_reason = key + " " + kReasons.at(i);
    scores.capped += static_cast<std::uint64_t>(counted.events - counting);
    earned.contributions += contribution * counting;
    if (points != 0) earned.add(points * counting, counted.latest_us);
    if (points == 0 && cap == 0) continue;
    scores.ledger[of_reason] =
        joined(counted.events, points * counted.events) + " " + std::to_string(cap);
  }
  if (of_day.adjusted.events > 0) {
    earned.add(of_day.adjusted_by, of_day.adjusted.latest_us);
    scores.ledger[key + " adjustment"] = joined(of_day.adjusted.events, of_day.adjusted_by) + " 0";
  }
  if (earned.contributions != 0) scores.calendar[key] = std::to_string(earned.contributions);
  scores.contributions += earned.contributions;
  return earned;
}

}  // namespace

PlainScores recompute(const std::vector<Happened>& events, std::size_t size,
                      const scoring::PlainRuleStream& rules) {
  PlainScores scores;
  const std::vector<Person> people = count(events, size);
  const scoring::PlainRules none;
  for (std::uint32_t who = 0; who < people.size(); ++who) {
    const Person& person = people[who];
    const core::AccountId account = account_of(who);
    std::int64_t points = 0;
    std::int64_t contributions = 0;
    std::int64_t reached = person.registered_us;
    for (const auto& [day, of_day] : person.days) {
      const std::string key = account.to_uuid() + " " +
                              core::format_day(core::Day(std::chrono::days(static_cast<int>(day))));
      const bool by_rules = std::any_of(of_day.by_reason.begin(), of_day.by_reason.end(),
                                        [](const Count& counted) { return counted.events > 0; });
      const Earned earned = add_day(scores, key, of_day, by_rules ? rules.of_day(day) : none);
      contributions += earned.contributions;
      if (!earned.any) continue;
      scores.day_score[key] = joined(earned.points, earned.latest_us);
      points += earned.points;
      reached = std::max(reached, earned.latest_us);
    }
    const int standing = (person.registered ? 1 : 0) + (person.closed ? 2 : 0);
    scores.score[account.to_uuid()] = joined(points, reached) + " " + std::to_string(standing) +
                                      " " + joined(contributions, person.events);
    scores.points += points;
    if (standing == 1) scores.board.push_back({points, reached, account});
  }
  std::sort(scores.board.begin(), scores.board.end(), [](const auto& one, const auto& other) {
    return std::tuple(-one.points, one.reached_us, one.account) <
           std::tuple(-other.points, other.reached_us, other.account);
  });
  for (std::size_t i = 0; i < scores.board.size(); ++i) {
    auto& place = scores.board[i];
    const bool tied = i > 0 && scores.board[i - 1].points == place.points;
    place.rank = tied ? scores.board[i - 1].rank : i + 1;
  }
  return scores;
}

}  // namespace tideline::crash
