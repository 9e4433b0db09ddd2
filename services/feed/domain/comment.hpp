// One comment on a moment, or an answer to another comment on it: written once, perhaps deleted.
// Each is a stream of its own with an id that counts nothing: numbers within the moment would tell
// a reader how many comments he is not shown, and writers of a busy moment would queue.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/decider.hpp"

namespace tideline::feed {

// Events
struct CommentAdded {
  core::MomentId moment;
  core::AccountId moment_author;
  core::CommentId id;
  std::optional<core::CommentId> parent;  // nullopt: on the moment itself
  core::AccountId author;
  std::string text;
  core::Timestamp written_at;
  std::string seen;  // the writer's position token, "" = none

  friend bool operator==(const CommentAdded&, const CommentAdded&) = default;
};
struct CommentDeleted {
  core::MomentId moment;
  core::CommentId id;
  core::AccountId author;
  core::AccountId by;  // its author or the moment's

  friend bool operator==(const CommentDeleted&, const CommentDeleted&) = default;
};

// Commands
struct AddComment {
  core::MomentId moment;
  core::AccountId moment_author;
  core::CommentId id;
  std::optional<core::CommentId> parent;  // one that the writer may see
  core::AccountId author;
  std::string text;
  core::Timestamp now;
  std::string seen;
};
struct DeleteComment {
  core::AccountId by;
};

struct Comment {
  static constexpr std::size_t kTextCodePointsMax = 2000;

  using Event = std::variant<CommentAdded, CommentDeleted>;
  struct State {
    bool added = false;
    bool deleted = false;
    core::MomentId moment;
    core::AccountId moment_author;
    core::CommentId id;
    core::AccountId author;

    bool stands() const { return added && !deleted; }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<AddComment, DeleteComment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
