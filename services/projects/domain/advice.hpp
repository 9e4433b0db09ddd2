// One piece of advice on a project: given by somebody else than its author, who may adopt it. An
// adoption stands for good, for it earns the adviser something; until then he may withdraw what he
// has said.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// Commands. `by` is who asks.
struct GiveAdvice {
  AdviceIdentity advice;
  std::string text;
};
struct AdoptAdvice {
  core::AccountId by;
};
struct WithdrawAdvice {
  core::AccountId by;
};

struct Advice {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kEventsMax = 2;  // given, then adopted or withdrawn

  using Event = std::variant<AdviceGiven, AdviceAdopted, AdviceWithdrawn>;

  enum class Standing { NotGiven, Given, Adopted, Withdrawn };
  struct State {
    Standing standing = Standing::NotGiven;
    AdviceIdentity advice;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<GiveAdvice, AdoptAdvice, WithdrawAdvice>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
