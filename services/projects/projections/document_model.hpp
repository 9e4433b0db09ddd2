// Table document. Part of ProjectsProjection; a row never changes, and goes when it is removed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "eventsourcing/events/event.hpp"
#include "projects/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class DocumentModel {
 public:
  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { changed_.clear(); }

 private:
  struct Added {
    read::DocumentAdded document;
    core::Timestamp added_at;
  };
  // By project and document, since the last flush; nullopt: removed.
  std::map<std::pair<std::string, std::string>, std::optional<Added>> changed_;
};

}  // namespace tideline::projects
