// Tables project, project_by_author and project_by_label, and what voting has of a project's
// standing. Part of ProjectsProjection; the rows of a project belong to its one stream, so the last
// event of a batch is what they become. Tables label_author and label_use count over many projects,
// so by deltas.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class ProjectModel {
 public:
  static constexpr std::array kTables{"project", "project_by_author", "project_by_label",
                                      "label_author", "label_use"};

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
    std::optional<bool> withdrawn;  // nullopt: as it was
    bool abandoned = false;
    core::StreamVersion version;

    bool changes_labels() const { return sealed_card || withdrawn || abandoned; }
  };
  // A label's key and who has used it.
  using LabelUse = std::pair<std::string, core::AccountId>;
  using LabelUses = std::map<LabelUse, std::int64_t>;

  void flush_created(sql::Transaction& transaction) const;
  void flush_edited(sql::Transaction& transaction) const;
  void flush_standing(sql::Transaction& transaction) const;
  void flush_labels(sql::Transaction& transaction) const;
  void flush_places(sql::Transaction& transaction) const;
  static void flush_uses(sql::Transaction& transaction, const LabelUses& deltas);

  std::map<std::string, Changed> changed_;  // by project id, since the last flush
};

}  // namespace tideline::projects
