// A poll in a moment, opened with it and closed by a time; and one person's vote in it, which is
// for good.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

struct NewPoll {
  std::vector<std::string> options;
  bool is_multiple = false;
  core::Timestamp closes_at;

  friend bool operator==(const NewPoll&, const NewPoll&) = default;
};

struct Poll {
  static constexpr std::size_t kOptionsMin = 2;
  static constexpr std::size_t kOptionsMax = 6;
  static constexpr std::size_t kOptionCodePointsMax = 100;
  static constexpr std::chrono::days kOpenMax{30};
};

// nullopt: it may be opened.
std::optional<eventsourcing::Rejection> refuse_poll(const NewPoll& poll, core::Timestamp now);

// Options as an event holds them: one a line.
std::string joined_options(const std::vector<std::string>& options);
std::vector<std::string> split_options(const std::string& joined);

inline const eventsourcing::Rejection kNoSuchPoll{eventsourcing::RejectionKind::NotFound,
                                                  "no-such-poll", "the moment has no poll"};

// Command. `poll` is what the moment's stream says of it.
struct CastPollVote {
  core::MomentId moment;
  core::AccountId voter;
  PollOpened poll;
  std::uint32_t choices = 0;  // the n-th bit: the n-th option, from 0
  core::Timestamp now;
};

struct PollVote {
  static constexpr std::uint32_t kEventsMax = 1;

  using Event = std::variant<PollVoted>;
  struct State {
    std::uint32_t choices = 0;  // 0: none yet
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CastPollVote>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
