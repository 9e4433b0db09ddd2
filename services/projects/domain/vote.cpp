#include "projects/domain/vote.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

namespace {

const Rejection kVotingNotOpen{RejectionKind::Conflict, "voting-not-open",
                               "the vote on this project is not open"};

}  // namespace

Vote::State Vote::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const VoteCast&) { state = {.standing = true, .cast_before = true}; },
                 [&](const VoteWithdrawn&) { state.standing = false; },
             },
             event);
  return state;
}

Decision<Vote::Event> Vote::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const CastVote& wanted) -> Decision<Event> {
            if (wanted.voting != Voting::State::Open) return kVotingNotOpen;
            if (state.standing) return Decision<Event>::nothing();
            return Decision<Event>::of(VoteCast{wanted.project_id, wanted.project_author,
                                                wanted.voter, !state.cast_before});
          },
          [&](const WithdrawVote& wanted) -> Decision<Event> {
            if (wanted.voting != Voting::State::Open) return kVotingNotOpen;
            if (!state.standing) return Decision<Event>::nothing();
            return Decision<Event>::of(
                VoteWithdrawn{wanted.project_id, wanted.project_author, wanted.voter});
          },
      },
      command);
}

}  // namespace tideline::projects
