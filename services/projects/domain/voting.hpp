// The ballot box of a project: opened once by its author, and closed once. While it is open the
// project is on the board; afterwards the tally stays with the project.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// Commands. `author` is the project's, `by` who asks.
struct OpenVoting {
  std::string project_id;
  core::AccountId author;
  core::AccountId by;
};
struct CloseVoting {
  std::string project_id;
  core::AccountId author;
  core::AccountId by;
};

struct Voting {
  static constexpr std::uint32_t kEventsMax = 2;  // opened, then closed

  using Event = std::variant<VotingOpened, VotingClosed>;

  enum class State { NotOpened, Open, Closed };
  static State evolve(State state, const Event& event);

  using Command = std::variant<OpenVoting, CloseVoting>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
