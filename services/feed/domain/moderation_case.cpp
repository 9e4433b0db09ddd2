#include "feed/domain/moderation_case.hpp"

#include "core/text.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using CaseState = ModerationCase::State;
using CaseEvent = ModerationCase::Event;

Decision<CaseEvent> open_case(const CaseState& state, const OpenCase& wanted) {
  if (state.open) return Decision<CaseEvent>::nothing();
  return Decision<CaseEvent>::of(CaseOpened{wanted.subject.moment, wanted.subject.comment,
                                            wanted.author, state.opening + 1, wanted.now});
}

Decision<CaseEvent> decide_case(const CaseState& state, const DecideCase& wanted) {
  // Its author is not told that it is reported.
  if (state.opening == 0 || wanted.moderator == state.author) {
    return Rejection{RejectionKind::NotFound, "no-such-case", "there is no such case"};
  }
  if (wanted.has_reported) {
    return Rejection{RejectionKind::Forbidden, "party-to-the-case",
                     "who has reported something does not decide on it"};
  }
  if (!state.open) {
    return Rejection{RejectionKind::Conflict, "case-decided", "this is decided already"};
  }
  const auto length = core::code_points(wanted.reason);
  if (!length || *length == 0 || *length > ModerationCase::kReasonCodePointsMax) {
    return Rejection{RejectionKind::Invalid, "reason-length", "a reason has 1 to 1000 characters"};
  }
  return Decision<CaseEvent>::of(CaseDecided{state.subject.moment, state.subject.comment,
                                             state.author, state.opening, wanted.moderator,
                                             wanted.decision, wanted.reason, wanted.now});
}

}  // namespace

ModerationCase::State ModerationCase::evolve(State state, const Event& event) {
  std::visit(
      [&](const auto& fact) {
        state.subject = {fact.moment, fact.comment};
        state.author = fact.author;
        state.opening = fact.opening;
      },
      event);
  state.open = std::holds_alternative<CaseOpened>(event);
  return state;
}

Decision<ModerationCase::Event> ModerationCase::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const OpenCase& wanted) { return open_case(state, wanted); },
                        [&](const DecideCase& wanted) { return decide_case(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::feed
