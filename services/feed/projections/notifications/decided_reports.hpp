// Who is told that what he has reported was decided on: a report and the decision lie in several
// logs, and whichever is applied last makes the row. Two runners may bring them at one time; the
// row of their case lets one of them wait for the other.
//
// Called by one runner thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class DecidedReports {
 public:
  static constexpr std::array kTables{"notification_case", "notification_report"};

  void apply(const eventsourcing::RecordedEvent& event);
  // Writes the batch, and returns those for whom a row of table notification came of it, once for
  // each row.
  std::vector<core::AccountId> flush(sql::Transaction& transaction) const;
  void clear();

 private:
  struct CaseKey {
    core::MomentId moment;
    core::CommentId comment;  // 0: the moment itself
    std::uint32_t opening = 0;
    auto operator<=>(const CaseKey&) const = default;
  };

  // Since the last flush.
  std::map<CaseKey, std::optional<core::Timestamp>> cases_;  // decided when
  std::set<std::pair<CaseKey, core::AccountId>> reports_;
};

}  // namespace tideline::feed
