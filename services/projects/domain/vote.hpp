// One person's vote for one project: cast, withdrawn, cast again, as long as the vote is open.
#pragma once

#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/domain/voting.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// Commands. `voting` is how the ballot box stood when the decision was made; the append asserts
// that it still stands so.
struct CastVote {
  std::string project_id;
  core::AccountId project_author;
  core::AccountId voter;
  Voting::State voting = Voting::State::NotOpened;
};
struct WithdrawVote {
  std::string project_id;
  core::AccountId project_author;
  core::AccountId voter;
  Voting::State voting = Voting::State::NotOpened;
};

struct Vote {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<VoteCast, VoteWithdrawn>;

  struct State {
    bool standing = false;
    bool cast_before = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CastVote, WithdrawVote>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
