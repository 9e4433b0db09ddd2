// What people say about a project. Comments are numbered from 1 within their project and may answer
// an earlier one; the number of the last event is the whole state.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// Commands
struct AddComment {
  std::string project_id;
  core::AccountId project_author;
  std::int64_t parent_id = 0;
  // Of the one that is answered, as it stood when the decision was made; the append asserts that.
  bool parent_removed = false;
  core::AccountId author;
  std::string text;
};

struct Comments {
  static constexpr bool kReadsText = false;
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<CommentAdded>;

  struct State {
    std::int64_t last_id = 0;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<AddComment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
