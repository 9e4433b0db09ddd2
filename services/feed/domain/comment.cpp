#include "feed/domain/comment.hpp"

#include "core/text.hpp"
#include "feed/domain/mentions.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

Decision<Comment::Event> add(const Comment::State& state, const AddComment& command) {
  if (state.added) {
    return Rejection{RejectionKind::Conflict, "comment-id-taken", "this comment exists already"};
  }
  const auto length = core::code_points(command.text);
  if (!length || *length == 0 || *length > Comment::kTextCodePointsMax) {
    return Rejection{RejectionKind::Invalid, "text-length", "a text has 1 to 2000 characters"};
  }
  if (auto rejection = refuse_mentions(command.mentions)) return *rejection;
  return Decision<Comment::Event>::of(CommentAdded{
      command.moment, command.moment_author, command.id, command.parent, command.author,
      command.text, command.now, command.parent_author, command.mentions});
}

Decision<Comment::Event> remove(const Comment::State& state, const core::AccountId& by) {
  if (!state.added) {
    return Rejection{RejectionKind::NotFound, "no-such-comment", "there is no such comment"};
  }
  if (state.deleted) return Decision<Comment::Event>::nothing();
  return Decision<Comment::Event>::of(CommentDeleted{state.moment, state.id, state.author, by});
}

Decision<Comment::Event> remove_own(const Comment::State& state, const DeleteComment& command) {
  if (state.added && command.by != state.author && command.by != state.moment_author) {
    return Rejection{RejectionKind::Forbidden, "not-the-author",
                     "only its author and the moment's delete a comment"};
  }
  return remove(state, command.by);
}

Decision<Comment::Event> hide(const Comment::State& state, const HideComment& command) {
  if (!state.stands()) {
    return Rejection{RejectionKind::NotFound, "no-such-comment", "there is no such comment"};
  }
  if (state.hidden) return Decision<Comment::Event>::nothing();
  if (state.hidings == Comment::kHidingsMax) {
    return Rejection{RejectionKind::Conflict, "hidden-too-often",
                     "what has been hidden 20 times is removed, or left"};
  }
  return Decision<Comment::Event>::of(
      CommentHidden{state.moment, state.id, state.author, command.now});
}

// What has been deleted meanwhile is not brought back.
Decision<Comment::Event> restore(const Comment::State& state, const RestoreComment& command) {
  if (!state.stands() || !state.hidden) return Decision<Comment::Event>::nothing();
  return Decision<Comment::Event>::of(
      CommentRestored{state.moment, state.id, state.author, command.now});
}

}  // namespace

Comment::State Comment::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const CommentAdded& fact) {
                   state.added = true;
                   state.moment = fact.moment;
                   state.moment_author = fact.moment_author;
                   state.id = fact.id;
                   state.author = fact.author;
                 },
                 [&](const CommentHidden&) {
                   state.hidden = true;
                   ++state.hidings;
                 },
                 [&](const CommentRestored&) { state.hidden = false; },
                 [&](const CommentDeleted&) { state.deleted = true; },
             },
             event);
  return state;
}

Decision<Comment::Event> Comment::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const AddComment& wanted) { return add(state, wanted); },
                        [&](const DeleteComment& wanted) { return remove_own(state, wanted); },
                        [&](const RemoveComment& wanted) { return remove(state, wanted.by); },
                        [&](const HideComment& wanted) { return hide(state, wanted); },
                        [&](const RestoreComment& wanted) { return restore(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::feed
