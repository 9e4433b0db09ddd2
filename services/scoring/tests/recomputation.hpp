// Random histories for the laws, and what a plain recomputation over all events makes of them.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scoring/tests/histories.hpp"
#include "scoring/tests/plain_rules.hpp"

namespace tideline::scoring {

inline constexpr std::uint8_t kPeople = 6;
inline constexpr int kHoursAhead = 8;

// What happened, in plain words, so that the expectation needs nothing of the code under test.
struct Happening {
  std::string earner;
  std::string reason;
  std::int64_t points;
  std::int64_t contribution;
  std::int64_t cap;  // 0 = none
  std::int64_t time_us;

  std::int64_t day() const { return (time_us / 3'600'000'000 + kHoursAhead) / 24; }
};

// The rules of a day, by its number since 1970.
using RulesOfDay = std::function<const PlainRules&(std::int64_t day)>;
inline const PlainRules& first_rules_of(std::int64_t) { return first_rules(); }

inline std::vector<std::pair<std::string, std::string>> earners(
    const eventsourcing::RecordedEvent& event) {
  const nlohmann::json data = nlohmann::json::parse(event.data);
  const auto who = [&](const char* field) { return data.at(field).get<std::string>(); };
  if (!data.value("first", true)) return {};
  if (event.type == "SignedIn") return {{who("account_id"), "sign-in"}};
  if (event.type == "ProfileViewed") return {{who("owner"), "profile-viewed"}};
  if (event.type == "ContactAccepted") return {{who("from"), "contact"}, {who("to"), "contact"}};
  if (event.type == "Followed") return {{who("followee"), "followed"}};
  if (event.type == "ProjectCreated") return {{who("author"), "project-published"}};
  if (event.type == "ProjectEdited") return {{who("author"), "project-edited"}};
  if (event.type == "CommentAdded") return {{who("author"), "comment"}};
  if (event.type == "AdviceAdopted") return {{who("adviser"), "advice-adopted"}};
  if (event.type == "VoteCast") {
    if (who("project_author") == who("voter")) return {};
    return {{who("project_author"), "vote-received"}, {who("voter"), "vote-cast"}};
  }
  return {};
}

inline std::vector<Happening> happenings(const eventsourcing::RecordedEvent& event,
                                         const RulesOfDay& rules_of) {
  const std::int64_t time = event.time.time_since_epoch().count();
  if (event.type == "PointsAdjusted") {
    const nlohmann::json data = nlohmann::json::parse(event.data);
    return {{data.at("account_id").get<std::string>(), "adjustment",
             data.at("delta").get<std::int64_t>(), 0, 0, time}};
  }
  std::vector<Happening> all;
  for (const auto& [earner, reason] : earners(event)) {
    Happening one{earner, reason, 0, 0, 0, time};
    const PlainRules& rules = rules_of(one.day());
    const auto rule = rules.find(reason);
    if (rule == rules.end()) continue;
    one.points = rule->second.points;
    one.contribution = rule->second.contribution;
    one.cap = rule->second.cap;
    all.push_back(one);
  }
  return all;
}

struct Expected {
  std::map<std::string, std::int64_t> points;
  std::map<std::string, std::int64_t> reached;
  std::map<std::string, std::map<std::int64_t, std::int64_t>> contributions;  // by day
  std::set<std::string> members;
  // What somebody earned on a campus day: points, and the time of the latest event.
  std::map<std::string, std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>> days;
  // The board as (points falling, reached, account).
  std::vector<std::tuple<std::int64_t, std::int64_t, core::AccountId>> board;
};

inline Expected recompute(const std::vector<eventsourcing::RecordedEvent>& events,
                          const RulesOfDay& rules_of = first_rules_of) {
  Expected expected;
  std::set<std::string> closed;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<Happening>> groups;
  for (const eventsourcing::RecordedEvent& event : events) {
    const nlohmann::json data = nlohmann::json::parse(event.data);
    if (event.type == "AccountClosed") closed.insert(data.at("account_id").get<std::string>());
    if (event.type == "AccountRegistered") {
      const auto account = data.at("account_id").get<std::string>();
      expected.members.insert(account);
      auto& reached = expected.reached[account];
      reached = std::max(reached, event.time.time_since_epoch().count());
    }
    for (const Happening& one : happenings(event, rules_of)) {
      groups[{one.earner, one.reason, one.day()}].push_back(one);
      if (one.points == 0) continue;
      auto& reached = expected.reached[one.earner];
      reached = std::max(reached, one.time_us);
      auto& on_day = expected.days[one.earner][one.day()];
      on_day.second = std::max(on_day.second, one.time_us);
    }
  }
  for (const auto& [key, group] : groups) {
    std::size_t counting = group.size();
    if (group.front().cap > 0) {
      counting = std::min(counting, static_cast<std::size_t>(group.front().cap));
    }
    for (std::size_t i = 0; i < counting; ++i) {
      expected.points[group[i].earner] += group[i].points;
      if (group[i].points != 0) {
        expected.days[group[i].earner][group[i].day()].first += group[i].points;
      }
      if (group[i].contribution == 0) continue;
      expected.contributions[group[i].earner][group[i].day()] += group[i].contribution;
    }
  }
  for (const std::string& account : closed) expected.members.erase(account);
  for (const std::string& account : expected.members) {
    expected.board.emplace_back(-expected.points[account], expected.reached[account],
                                *core::AccountId::parse(account));
  }
  std::sort(expected.board.begin(), expected.board.end());
  return expected;
}

inline const core::Timestamp kHistoryBegins = at("2026-01-30T12:00:00.000000Z");

// A time on one of five days around the turn of a month and of a week: there are many equal ones.
// Now and then a clock is wrong by years.
inline core::Timestamp any_time() {
  const auto time = kHistoryBegins + std::chrono::hours(*rc::gen::inRange(0, 24 * 5));
  if (*rc::gen::inRange(0, 30) != 0) return time;
  return time + std::chrono::days(*rc::gen::elementOf(std::vector<int>{-800, 40, 2'000}));
}

// For those who read a history and whose memory goes by the day, some before its end.
inline core::Timestamp any_now() {
  return kHistoryBegins + std::chrono::hours(*rc::gen::inRange(0, 24 * 9));
}

inline eventsourcing::RecordedEvent any_event(EventMaker& make) {
  const auto someone = [] { return *rc::gen::inRange<std::uint8_t>(1, kPeople + 1); };
  const auto one = someone();
  const auto other = static_cast<std::uint8_t>(one % kPeople + 1);
  const bool first = *rc::gen::inRange(0, 4) != 0;
  const auto time = any_time();
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      return make.registered(one, time);
    case 1:
      return *rc::gen::inRange(0, 4) == 0 ? make.closed(one, time) : make.registered(one, time);
    case 2:
      return make.signed_in(one, time);
    case 3:
      return make.viewed(one, time);
    case 4:
      return make.contact(one, other, first, time);
    case 5:
      return make.followed(one, other, first, time);
    case 6:
      return make.published(one, time);
    case 7:
      return make.edited(one, time);
    case 8:
      return make.commented(one, time);
    case 9:
      return make.voted(one, someone(), first, time);
    case 10:
      return make.adopted(one, time);
    default:
      return make.adjusted(
          one, *rc::gen::elementOf(std::vector<std::int64_t>{1, -1, 5, -30, 2'000'000, -2'000'000}),
          time);
  }
}

// The whole range from the first run on: small bursts never reach a cap.
inline int full_range(int from, int to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, to));
}

// Single events, and bursts that go beyond a day's cap.
inline std::vector<eventsourcing::RecordedEvent> any_history(EventMaker& make) {
  std::vector<eventsourcing::RecordedEvent> events;
  const int singles = *rc::gen::inRange(1, 50);
  for (int i = 0; i < singles; ++i) events.push_back(any_event(make));
  const int bursts = full_range(0, 4);
  for (int i = 0; i < bursts; ++i) {
    const auto who = static_cast<std::uint8_t>(full_range(1, kPeople + 1));
    const auto from = any_time();
    const int kind = full_range(0, 4);
    const int size = kind == 0   ? full_range(90, 130)
                     : kind == 1 ? full_range(45, 70)
                     : kind == 2 ? full_range(6, 20)
                                 : 8;
    for (int n = 0; n < size; ++n) {
      const auto time = from + std::chrono::minutes(n);
      events.push_back(kind == 0   ? make.viewed(who, time)
                       : kind == 1 ? make.commented(who, time)
                       : kind == 2 ? make.adopted(who, time)
                                   : make.edited(who, time));
    }
  }
  return events;
}

inline void shuffle(std::vector<eventsourcing::RecordedEvent>& events) {
  std::mt19937_64 engine(*rc::gen::arbitrary<std::uint64_t>());
  std::shuffle(events.begin(), events.end(), engine);
}

}  // namespace tideline::scoring
