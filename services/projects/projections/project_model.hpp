// Tables project, project_by_author and project_by_label. Part of ProjectsProjection; the rows of a
// project belong to its one stream, so the last event of a batch is what they become.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class ProjectModel {
 public:
  static constexpr std::array kTables{"project", "project_by_author", "project_by_label"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { changed_.clear(); }

 private:
  struct Changed {
    core::AccountId author;
    std::optional<std::string> sealed_card;  // nullopt: card and labels are as they were
    std::string sealed_labels;
    std::vector<std::string> label_keys;
    std::optional<std::optional<std::string>> icon;  // outer nullopt: as it was
    std::optional<core::Timestamp> published_at;     // nullopt: created before this batch
    std::optional<core::Timestamp> edited_at;
    core::StreamVersion version;
  };

  void flush_created(sql::Transaction& transaction) const;
  void flush_edited(sql::Transaction& transaction) const;
  void flush_labels(sql::Transaction& transaction) const;

  std::map<std::string, Changed> changed_;  // by project id, since the last flush
};

}  // namespace tideline::projects
