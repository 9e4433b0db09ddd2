// Table document. Part of ProjectsProjection; a row never changes, and goes when it is removed.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "eventsourcing/events/event.hpp"
#include "projects/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class DocumentModel {
 public:
  static constexpr std::array kTables{"document"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { changed_.clear(); }

 private:
  struct Added {
    read::DocumentAdded document;
    core::Timestamp added_at;
  };
  struct Key {
    std::string project_id;
    std::string document_id;
    auto operator<=>(const Key&) const = default;
  };
  using Changes = std::map<Key, std::optional<Added>>;
  using Entry = Changes::value_type;

  Changes changed_;  // since the last flush; nullopt: removed
};

}  // namespace tideline::projects
