// One comment on a moment, or an answer to another comment on it: written once, perhaps hidden by
// a moderator and restored, perhaps deleted.
// Each is a stream of its own with an id that counts nothing: numbers within the moment would tell
// a reader how many comments he is not shown, and writers of a busy moment would queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct AddComment {
  core::MomentId moment;
  core::AccountId moment_author;
  core::CommentId id;
  std::optional<core::CommentId> parent;  // one that the writer may see
  std::optional<core::AccountId> parent_author;
  core::AccountId author;
  std::string text;
  core::Timestamp now;
  std::vector<core::AccountId> mentions{};
};
struct DeleteComment {
  core::AccountId by;
};

// By a moderator.
struct RemoveComment {
  core::AccountId by;
};
struct HideComment {
  core::Timestamp now;
};
struct RestoreComment {
  core::Timestamp now;
};

struct Comment {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kHidingsMax = 20;
  // Added, hidden, restored, deleted.
  static constexpr std::uint32_t kEventsMax = 2 * kHidingsMax + 2;

  static constexpr std::size_t kTextCodePointsMax = 2000;
  // Of a moment, as far as it is known when one is added: some at the same time may be more.
  static constexpr std::size_t kPerMomentMax = 10'000;

  using Event = std::variant<CommentAdded, CommentHidden, CommentRestored, CommentDeleted>;
  struct State {
    bool added = false;
    bool deleted = false;
    core::MomentId moment;
    core::AccountId moment_author;
    core::CommentId id;
    core::AccountId author;
    bool hidden = false;
    std::uint32_t hidings = 0;

    bool stands() const { return added && !deleted; }
  };
  static State evolve(State state, const Event& event);

  using Command =
      std::variant<AddComment, DeleteComment, RemoveComment, HideComment, RestoreComment>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
