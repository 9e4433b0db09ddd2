#include "accounts/domain/profile_view.hpp"

namespace tideline::accounts {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

ProfileView::State ProfileView::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const ProfileViewed&) { state.recorded = true; }}, event);
  return state;
}

Decision<ProfileView::Event> ProfileView::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const RecordProfileView& wanted) {
            if (state.recorded || wanted.viewer == wanted.owner) return Decision<Event>::nothing();
            return Decision<Event>::of(ProfileViewed{wanted.viewer, wanted.owner, wanted.day});
          },
      },
      command);
}

}  // namespace tideline::accounts
