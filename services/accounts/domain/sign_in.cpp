#include "accounts/domain/sign_in.hpp"

namespace tideline::accounts {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

SignIn::State SignIn::evolve(State state, const Event& event) {
  std::visit(Overloaded{[&](const SignedIn&) { state.recorded = true; }}, event);
  return state;
}

Decision<SignIn::Event> SignIn::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const RecordSignIn& wanted) {
            if (state.recorded) return Decision<Event>::nothing();
            return Decision<Event>::of(SignedIn{wanted.account, wanted.day});
          },
      },
      command);
}

}  // namespace tideline::accounts
