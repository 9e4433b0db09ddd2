#include "feed/domain/pinned_moment.hpp"

namespace tideline::feed {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

PinnedMoment::State PinnedMoment::evolve(State state, const Event& event) {
  state.moment = std::get<PinnedMomentChanged>(event).moment;
  return state;
}

Decision<PinnedMoment::Event> PinnedMoment::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const PinMoment& wanted) {
            if (state.moment == wanted.moment) return Decision<Event>::nothing();
            return Decision<Event>::of(PinnedMomentChanged{wanted.author, wanted.moment});
          },
          [&](const UnpinMoment& wanted) {
            if (state.moment != wanted.moment) return Decision<Event>::nothing();
            return Decision<Event>::of(PinnedMomentChanged{wanted.author, std::nullopt});
          },
      },
      command);
}

}  // namespace tideline::feed
