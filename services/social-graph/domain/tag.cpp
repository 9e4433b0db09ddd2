#include "social-graph/domain/tag.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;

Tag::State Tag::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const TagCreated& created) { state.owner = created.owner; },
                 [&](const TagDeleted&) { state.deleted = true; },
             },
             event);
  return state;
}

Decision<Tag::Event> Tag::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const CreateTag& wanted) {
            CHECK(!state.owner, "the id of a new tag is drawn for it alone");
            return Decision<Event>::of(TagCreated{wanted.owner, wanted.tag_id, wanted.name});
          },
          [&](const DeleteTag& wanted) -> Decision<Event> {
            if (state.owner != wanted.by) return kNoSuchTag;
            if (state.deleted) return Decision<Event>::nothing();
            return Decision<Event>::of(TagDeleted{wanted.by, wanted.tag_id});
          },
      },
      command);
}

std::optional<Rejection> Tag::refuse_use(const State& state, const core::AccountId& by) {
  if (state.owner != by || state.deleted) return kNoSuchTag;
  return std::nullopt;
}

}  // namespace tideline::social_graph
