#include "social-graph/domain/block.hpp"

#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Block::State Block::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const PersonBlocked&) { state.blocks = true; },
                 [&](const PersonUnblocked&) { state.blocks = false; },
             },
             event);
  return state;
}

Decision<Block::Event> Block::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const BlockPerson& wanted) -> Decision<Event> {
                          if (wanted.by == wanted.other) return kOneself;
                          if (state.blocks) return Decision<Event>::nothing();
                          return Decision<Event>::of(PersonBlocked{wanted.by, wanted.other});
                        },
                        [&](const UnblockPerson& wanted) {
                          if (!state.blocks) return Decision<Event>::nothing();
                          return Decision<Event>::of(PersonUnblocked{wanted.by, wanted.other});
                        },
                    },
                    command);
}

}  // namespace tideline::social_graph
