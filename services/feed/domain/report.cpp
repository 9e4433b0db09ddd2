#include "feed/domain/report.hpp"

#include "core/text.hpp"

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

Report::State Report::evolve(State state, const Event&) {
  state.reported = true;
  return state;
}

Decision<Report::Event> Report::decide(const State& state, const Command& command) {
  const auto& wanted = std::get<ReportSubject>(command);
  if (state.reported) return Decision<Event>::nothing();
  if (wanted.reporter == wanted.author) {
    return Rejection{RejectionKind::Conflict, "own-subject",
                     "what you have written yourself you can delete"};
  }
  const auto length = core::code_points(wanted.text);
  if (!length || *length > kTextCodePointsMax) {
    return Rejection{RejectionKind::Invalid, "text-length", "a text has at most 500 characters"};
  }
  return Decision<Event>::of(SubjectReported{wanted.subject.moment, wanted.subject.comment,
                                             wanted.reporter, wanted.opening, wanted.category,
                                             wanted.text, wanted.now});
}

}  // namespace tideline::feed
