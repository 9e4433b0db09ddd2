#include "feed/domain/moderation_case.hpp"

#include <optional>

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
  if (state.hidden) {
    return wanted.subject.comment
               ? Rejection{RejectionKind::NotFound, "no-such-comment", "there is no such comment"}
               : Rejection{RejectionKind::NotFound, "no-such-moment", "there is no such moment"};
  }
  return Decision<CaseEvent>::of(CaseOpened{wanted.subject.moment, wanted.subject.comment,
                                            wanted.author, state.opening + 1, wanted.now});
}

// Of whoever decides: who it is, and why.
template <class Command>
std::optional<Rejection> refuse_decision(const CaseState& state, const Command& wanted) {
  // Its author is not told that it is reported.
  if (state.opening == 0 || wanted.moderator == state.author) {
    return Rejection{RejectionKind::NotFound, "no-such-case", "there is no such case"};
  }
  if (wanted.has_reported) {
    return Rejection{RejectionKind::Forbidden, "party-to-the-case",
                     "who has reported something does not decide on it"};
  }
  const auto length = core::code_points(wanted.reason);
  if (!length || *length == 0 || *length > ModerationCase::kReasonCodePointsMax) {
    return Rejection{RejectionKind::Invalid, "reason-length", "a reason has 1 to 1000 characters"};
  }
  return std::nullopt;
}

const Rejection kDecided{RejectionKind::Conflict, "case-decided", "this is decided already"};

Decision<CaseEvent> decide_case(const CaseState& state, const DecideCase& wanted) {
  if (auto rejection = refuse_decision(state, wanted)) return *rejection;
  if (!state.open) return kDecided;
  return Decision<CaseEvent>::of(CaseDecided{state.subject.moment, state.subject.comment,
                                             state.author, state.opening, wanted.moderator,
                                             wanted.decision, wanted.reason, wanted.now});
}

// Restoring is a decision without a report: an opening of its own.
Decision<CaseEvent> rule_case(const CaseState& state, const RuleCase& wanted) {
  if (auto rejection = refuse_decision(state, wanted)) return *rejection;
  const bool restores = wanted.ruling == CaseRuling::Restored;
  if (restores && !state.hidden) {
    return Rejection{RejectionKind::Conflict, "not-hidden", "this is not hidden"};
  }
  if (!restores && !state.open) return kDecided;
  return Decision<CaseEvent>::of(CaseRuled{state.subject.moment, state.subject.comment,
                                           state.author, state.opening + (restores ? 1U : 0U),
                                           wanted.moderator, wanted.ruling, wanted.reason,
                                           wanted.now});
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
  const auto* ruled = std::get_if<CaseRuled>(&event);
  state.hidden = ruled != nullptr && ruled->ruling == CaseRuling::Hidden;
  return state;
}

Decision<ModerationCase::Event> ModerationCase::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const OpenCase& wanted) { return open_case(state, wanted); },
                        [&](const DecideCase& wanted) { return decide_case(state, wanted); },
                        [&](const RuleCase& wanted) { return rule_case(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::feed
