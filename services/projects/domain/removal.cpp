#include "projects/domain/removal.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

Removal::State Removal::evolve(State, const Event&) { return {.removed = true}; }

Decision<Removal::Event> Removal::decide(const State& state, const Command& command) {
  const auto& [comment, written_at, by] = std::get<RemoveComment>(command);
  if (by != comment.author && by != comment.project_author) {
    return Rejection{RejectionKind::Forbidden, "not-the-author",
                     "only who wrote a comment and the project's author remove it"};
  }
  if (state.removed) return Decision<Event>::nothing();
  return Decision<Event>::of(CommentRemoved{comment.project_id, comment.project_author,
                                            comment.comment_id, comment.parent_id, comment.author,
                                            written_at, by});
}

}  // namespace tideline::projects
