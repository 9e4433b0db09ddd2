// A history of everything that earns points, made from a seed: short records, which become events
// when they are sent. Days go on with the records, some are ahead or late; a few people are so busy
// that every daily cap is reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::crash {

enum class Kind : std::uint8_t {
  Registered,
  Closed,
  SignedIn,
  Viewed,
  Contact,
  Followed,
  Published,
  Edited,
  Commented,
  Voted,
  Adjusted,
};

struct Happened {
  Kind kind = Kind::SignedIn;
  bool first = true;      // of a contact, a follow and a vote
  std::uint32_t one = 0;  // who is registered, closed, signs in, is viewed, writes, asks, votes for
  std::uint32_t other = 0;  // the contact, the follower, the voter
  std::int64_t delta = 0;   // of an adjustment
  core::Timestamp time;
};

inline constexpr std::size_t kEventsAPerson = 100;
inline constexpr std::chrono::days kSpan{8};

// Spread as keyed hashes are.
inline core::AccountId account_of(std::uint32_t number) {
  core::AccountId::Bytes bytes{};
  std::uint64_t mixed = number + 1;
  for (auto& byte : bytes) {
    mixed = mixed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(mixed >> 56U);
  }
  return core::AccountId(bytes);
}

inline std::vector<Happened> make_history(std::uint64_t seed, std::size_t events,
                                          core::Timestamp now) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const auto people = static_cast<std::uint32_t>(events / kEventsAPerson);
  const std::uint64_t busy = 2 + events / 50'000;
  constexpr std::array kKinds = {Kind::SignedIn,  Kind::Viewed,    Kind::Viewed,    Kind::Viewed,
                                 Kind::Contact,   Kind::Followed,  Kind::Published, Kind::Edited,
                                 Kind::Edited,    Kind::Commented, Kind::Commented, Kind::Commented,
                                 Kind::Commented, Kind::Commented, Kind::Voted};
  const auto someone = [&] {
    return static_cast<std::uint32_t>(below(4) == 0 ? below(busy) : below(people));
  };
  std::vector<Happened> history(events);
  for (std::size_t i = 0; i < events; ++i) {
    Happened& made = history[i];
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(kSpan) *
                        static_cast<std::int64_t>(i) / static_cast<std::int64_t>(events);
    const auto astray = std::chrono::microseconds(static_cast<std::int64_t>(below(36'000'000'000)));
    made.time = now - kSpan / 2 + passed + astray - std::chrono::hours(5);
    made.one = someone();
    made.other = someone();
    made.first = below(5) != 0;
    made.kind = kKinds.at(below(kKinds.size()));
    // One may vote for a project of his own, but is nobody's contact or follower of his own.
    if (made.kind != Kind::Voted && made.other == made.one) made.other = (made.one + 1) % people;
    if (i % kEventsAPerson == 0) {
      made.kind = Kind::Registered;
      made.one = static_cast<std::uint32_t>(i / kEventsAPerson);
    } else if (below(10'000) == 0) {
      made.kind = Kind::Closed;
    } else if (below(50) == 0) {
      made.kind = Kind::Adjusted;
      made.delta = static_cast<std::int64_t>(below(200)) - 100;
    }
  }
  return history;
}

// The service, type and data of an event of another service than scoring.
inline void describe(const Happened& happened, eventsourcing::RecordedEvent& event) {
  const auto field = [](const char* name, std::uint32_t who) {
    return "\"" + std::string(name) + "\":\"" + account_of(who).to_string() + "\"";
  };
  const std::string one = account_of(happened.one).to_string();
  const std::string first = happened.first ? R"(,"first":true})" : R"(,"first":false})";
  const std::string project = R"({"project_id":"00000000000000000000000010",)";
  const auto is = [&](const char* service, const char* type, std::string data) {
    event.source = service;
    event.type = type;
    event.data = std::move(data);
  };
  switch (happened.kind) {
    case Kind::Registered:
      return is("accounts", "AccountRegistered", "{" + field("account_id", happened.one) + "}");
    case Kind::Closed:
      return is("accounts", "AccountClosed", "{" + field("account_id", happened.one) + "}");
    case Kind::SignedIn:
      return is("accounts", "SignedIn", "{" + field("account_id", happened.one) + "}");
    case Kind::Viewed:
      return is("accounts", "ProfileViewed", "{" + field("owner", happened.one) + "}");
    case Kind::Contact:
      return is("social-graph", "ContactAccepted",
                "{" + field("from", happened.one) + "," + field("to", happened.other) + first);
    case Kind::Followed:
      return is(
          "social-graph", "Followed",
          "{" + field("follower", happened.other) + "," + field("followee", happened.one) + first);
    case Kind::Published:
      return is("projects", "ProjectCreated", project + field("author", happened.one) + "}");
    case Kind::Edited:
      return is("projects", "ProjectEdited", project + field("author", happened.one) + "}");
    case Kind::Commented:
      return is("projects", "CommentAdded", project + field("author", happened.one) + "}");
    case Kind::Voted:
      return is("projects", "VoteCast",
                project + field("project_author", happened.one) + "," +
                    field("voter", happened.other) + first);
    case Kind::Adjusted:
      event.source = "scoring";
  }
}

}  // namespace tideline::crash
