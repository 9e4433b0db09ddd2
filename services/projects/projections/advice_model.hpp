// Tables advice and advice_count. Part of ProjectsProjection. A row of advice belongs to its one
// stream; the counts of a project are fed by the streams of all its advice, so by deltas.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "eventsourcing/events/event.hpp"
#include "projects/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class AdviceModel {
 public:
  static constexpr std::array kTables{"advice", "advice_count"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  struct Given {
    read::AdviceGiven event;
    core::Timestamp given_at;
  };
  struct Changed {
    std::optional<Given> given;  // nullopt: it has a row already
    std::optional<core::Timestamp> adopted_at;
    bool withdrawn = false;
  };
  struct CountDelta {
    std::int64_t standing = 0;
    std::int64_t adopted = 0;
  };
  // Project and advice.
  using Key = std::pair<std::string, std::string>;

  void flush_given(sql::Transaction& transaction) const;
  void flush_changed(sql::Transaction& transaction) const;
  void flush_counts(sql::Transaction& transaction) const;

  // Since the last flush.
  std::map<Key, Changed> changed_;
  std::map<std::string, CountDelta> delta_by_project_;
};

}  // namespace tideline::projects
