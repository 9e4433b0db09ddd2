// What somebody thinks of a person or a project, in 1 to 5 stars. One stream a rater and subject: a
// further rating replaces the one before, which the event names, so that anyone who adds up needs
// nothing but the event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::scoring {

enum class RatingKind : std::uint8_t { Person, Project };

// "person", "project": stored in events and tables, never to be changed.
std::string_view name_of(RatingKind kind);
std::optional<RatingKind> rating_kind_named(std::string_view name);

struct RatingSubject {
  RatingKind kind = RatingKind::Person;
  std::string id;  // the account id's text, or the project id

  friend auto operator<=>(const RatingSubject&, const RatingSubject&) = default;
};

// The sum of a subject's ratings.
struct RatingTotal {
  std::int64_t ratings = 0;
  std::int64_t stars = 0;

  // The exact one, as near as a double comes to it; 0 of none.
  double mean() const;
  // As if kPriorRatings of kPriorStars each had come before: a few ratings do not outweigh many.
  double bayesian_mean() const;

  static constexpr std::int64_t kPriorRatings = 10;
  static constexpr std::int64_t kPriorStars = 3;
  friend bool operator==(const RatingTotal&, const RatingTotal&) = default;
};

// Events
struct Rated {
  core::AccountId rater;
  RatingSubject subject;
  std::int64_t stars = 0;
  std::int64_t before = 0;  // stars that the rater took back by it; 0: had not rated
  friend bool operator==(const Rated&, const Rated&) = default;
};

// Commands
struct RateSubject {
  core::AccountId rater;
  RatingSubject subject;
  core::AccountId owner;  // the person, or the project's author
  std::int64_t stars = 0;
};

struct Rating {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  static constexpr std::int64_t kStarsMin = 1;
  static constexpr std::int64_t kStarsMax = 5;

  using Event = std::variant<Rated>;

  struct State {
    std::int64_t stars = 0;  // 0: not rated
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<RateSubject>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::scoring
