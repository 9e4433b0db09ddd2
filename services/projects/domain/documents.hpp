// What a project has on paper: its author adds documents and removes them, up to so many at a time.
// The bytes are uploads; here is their hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

// Commands. `author` is the project's, `by` who asks.
struct AddDocument {
  std::string project_id;
  core::AccountId author;
  core::AccountId by;
  std::string document_id;
  std::string title;
  StoredFile file;
};
struct RemoveDocument {
  std::string project_id;
  core::AccountId author;
  core::AccountId by;
  std::string document_id;
};

struct Documents {
  static constexpr bool kReadsText = false;
  static constexpr std::size_t kStandingMax = 20;
  static constexpr std::size_t kEverMax = 200;  // those that were removed included
  static constexpr std::uint32_t kEventsMax = 2 * kEverMax;

  using Event = std::variant<DocumentAdded, DocumentRemoved>;

  struct State {
    std::map<std::string, bool> standing_by_id;  // false: removed
    std::size_t standing = 0;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<AddDocument, RemoveDocument>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::projects
