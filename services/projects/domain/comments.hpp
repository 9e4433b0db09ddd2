// What people say about a project. Comments are numbered from 1 within their project and may answer
// an earlier one; the number of the last event is the whole state.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/decider.hpp"

namespace tideline::projects {

// Events
struct CommentAdded {
  std::string project_id;
  core::AccountId project_author;
  std::int64_t comment_id = 0;
  std::int64_t parent_id = 0;  // 0 = top level
  core::AccountId author;
  std::string text;  // personal: sealed in events
  std::string seen;  // the writer's position token, "" = none
  friend bool operator==(const CommentAdded&, const CommentAdded&) = default;
};

// Commands
struct AddComment {
  std::string project_id;
  core::AccountId project_author;
  std::int64_t parent_id = 0;
  core::AccountId author;
  std::string text;
  std::string seen;
};

struct Comments {
  using Event = std::variant<CommentAdded>;

  struct State {
    std::int64_t last_id = 0;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<AddComment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
