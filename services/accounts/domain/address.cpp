#include "accounts/domain/address.hpp"

#include "accounts/domain/rejections.hpp"

namespace tideline::accounts {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Address::State Address::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const AddressClaimed& fact) { state.owner = fact.account; },
                 [&](const AddressReleased&) { state.owner.reset(); },
             },
             event);
  return state;
}

Decision<Address::Event> Address::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const ClaimAddress& wanted) -> Decision<Event> {
            if (state.owner == wanted.account) return Decision<Event>::nothing();
            if (state.owner) return kAddressTaken;
            return Decision<Event>::of(AddressClaimed{wanted.address, wanted.account});
          },
          [&](const ReleaseAddress& wanted) -> Decision<Event> {
            if (state.owner != wanted.account) return Decision<Event>::nothing();
            return Decision<Event>::of(AddressReleased{wanted.address, wanted.account});
          },
      },
      command);
}

Enrolment::State Enrolment::evolve(State state, const Event& event) {
  state.address = std::get<Enrolled>(event).address;
  return state;
}

Decision<Enrolment::Event> Enrolment::decide(const State& state, const Command& wanted) {
  if (state.address == wanted.address) return Decision<Event>::nothing();
  return Decision<Event>::of(Enrolled{wanted.account, wanted.address});
}

}  // namespace tideline::accounts
