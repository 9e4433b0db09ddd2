// A project: what somebody builds and shows to the campus. It is never deleted: its author may
// withdraw it, which hides it from everybody else until it is restored with all that it had.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// Commands
struct CreateProject {
  std::string project_id;
  core::AccountId author;
  Card card;
  Labels labels;
  core::Timestamp now;
};
// Fields of the card, each with its new value.
template <class Value>
using CardChanges = std::vector<std::pair<Value Card::*, Value>>;
// What it does not name stays as it is.
struct EditProject {
  core::AccountId editor;
  CardChanges<std::string> texts;
  CardChanges<std::optional<std::string>> optional_texts;
  std::optional<Labels> labels;
};
struct ChangeIcon {
  core::AccountId by;
  std::optional<std::string> icon;
};
struct WithdrawProject {
  core::AccountId by;
};
struct RestoreProject {
  core::AccountId by;
};
// The author's account was closed.
struct AbandonProject {};

struct Project {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<ProjectCreated, ProjectEdited, ProjectIconChanged, ProjectWithdrawn,
                             ProjectRestored, ProjectAbandoned>;

  struct State {
    bool exists = false;
    std::string project_id;
    core::AccountId author;
    Card card;
    Labels labels;
    core::Timestamp published_at;
    std::optional<std::string> icon{};
    bool withdrawn = false;
    bool abandoned = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CreateProject, EditProject, ChangeIcon, WithdrawProject,
                               RestoreProject, AbandonProject>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
