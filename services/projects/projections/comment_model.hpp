// Table comment. Part of ProjectsProjection; a comment never changes.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/events/event.hpp"
#include "projects/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class CommentModel {
 public:
  static constexpr std::array kTables{"comment"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { written_.clear(); }

 private:
  std::vector<std::pair<read::CommentAdded, core::Timestamp>> written_;  // since the last flush
};

}  // namespace tideline::projects
