#include "projects/domain/voting.hpp"

#include "projects/domain/rejections.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

Voting::State Voting::evolve(State, const Event& event) {
  return std::visit(Overloaded{
                        [](const VotingOpened&) { return State::Open; },
                        [](const VotingClosed&) { return State::Closed; },
                    },
                    event);
}

Decision<Voting::Event> Voting::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const OpenVoting& wanted) -> Decision<Event> {
            if (wanted.by != wanted.author) return kNotTheAuthor;
            if (state == State::Open) return Decision<Event>::nothing();
            if (state == State::Closed) {
              return Rejection{RejectionKind::Conflict, "voting-closed",
                               "the vote on this project has been closed for good"};
            }
            return Decision<Event>::of(VotingOpened{wanted.project_id, wanted.author});
          },
          [&](const CloseVoting& wanted) -> Decision<Event> {
            if (wanted.by != wanted.author) return kNotTheAuthor;
            if (state == State::Closed) return Decision<Event>::nothing();
            if (state == State::NotOpened) {
              return Rejection{RejectionKind::Conflict, "voting-not-open",
                               "the vote on this project has not been opened"};
            }
            return Decision<Event>::of(VotingClosed{wanted.project_id, wanted.author});
          },
      },
      command);
}

}  // namespace tideline::projects
