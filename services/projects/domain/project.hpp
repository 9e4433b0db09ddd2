// A project: what somebody builds and shows to the campus. It is never deleted.
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

struct Project {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<ProjectCreated, ProjectEdited, ProjectIconChanged>;

  struct State {
    bool exists = false;
    std::string project_id;
    core::AccountId author;
    Card card;
    Labels labels;
    core::Timestamp published_at;
    std::optional<std::string> icon{};
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<CreateProject, EditProject, ChangeIcon>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
