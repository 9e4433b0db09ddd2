#include "feed/domain/bookmark.hpp"

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Bookmark::State Bookmark::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const MomentBookmarked&) { state.standing = true; },
                 [&](const BookmarkRemoved&) { state.standing = false; },
             },
             event);
  return state;
}

Decision<Bookmark::Event> Bookmark::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const BookmarkMoment& wanted) {
            if (state.standing) return Decision<Event>::nothing();
            return Decision<Event>::of(MomentBookmarked{wanted.owner, wanted.moment, wanted.now});
          },
          [&](const RemoveBookmark& wanted) {
            if (!state.standing) return Decision<Event>::nothing();
            return Decision<Event>::of(BookmarkRemoved{wanted.owner, wanted.moment});
          },
      },
      command);
}

}  // namespace tideline::feed
