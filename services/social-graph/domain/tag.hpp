// A name under which a person gathers some of his contacts. Only he ever learns that it exists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

// Commands
struct CreateTag {
  core::AccountId owner;
  std::string tag_id;
  std::string name;
};
struct DeleteTag {
  core::AccountId by;
  std::string tag_id;
};

struct Tag {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kEventsMax = 2;  // created, then deleted

  using Event = std::variant<TagCreated, TagDeleted>;

  struct State {
    std::optional<core::AccountId> owner;  // nullopt: never created
    bool deleted = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CreateTag, DeleteTag>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);

  // Why `by` may not put this tag on anybody; nullopt: he may.
  static std::optional<eventsourcing::Rejection> refuse_use(const State& state,
                                                            const core::AccountId& by);
};

}  // namespace tideline::social_graph
