// From whom somebody takes personal messages. Every event carries the whole state.
#pragma once

#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct ChangeMessageSetting {
  core::AccountId owner;
  bool contacts_only = false;
};

struct MessageSetting {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<MessageSettingChanged>;
  struct State {
    bool contacts_only = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ChangeMessageSetting>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
