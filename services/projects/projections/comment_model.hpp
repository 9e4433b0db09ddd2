// Table comment. Part of ProjectsProjection; a comment never changes, but for its removal, which
// comes from another stream: it says all that is left of the comment, so either may come first.
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
  void clear() {
    written_.clear();
    removed_.clear();
  }

 private:
  std::vector<std::pair<read::CommentAdded, core::Timestamp>> written_;  // since the last flush
  std::vector<std::pair<CommentRemoved, core::Timestamp>> removed_;      // likewise
};

}  // namespace tideline::projects
