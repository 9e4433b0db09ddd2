#include "projects/domain/comments.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

Comments::State Comments::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const CommentAdded& added) { state.last_id = added.comment_id; }},
             event);
  return state;
}

Decision<Comments::Event> Comments::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{[&](const AddComment& wanted) -> Decision<Event> {
                      // Numbers have no gaps, and a removed one keeps its own: up to the last one
                      // all exist.
                      if (wanted.parent_id < 0 || wanted.parent_id > state.last_id) {
                        return Rejection{RejectionKind::Invalid, "no-such-comment",
                                         "the comment that this one answers does not exist"};
                      }
                      if (wanted.parent_removed) {
                        return Rejection{RejectionKind::Conflict, "comment-removed",
                                         "the comment that this one answers has been removed"};
                      }
                      return Decision<Event>::of(
                          CommentAdded{wanted.project_id, wanted.project_author, state.last_id + 1,
                                       wanted.parent_id, wanted.author, wanted.text});
                    }},
                    command);
}

}  // namespace tideline::projects
