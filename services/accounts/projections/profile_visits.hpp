// How often a profile is looked at: table profile_visit_count, from this service's own events. A
// visitor has a stream for each owner and campus day, of one event, so each counts once. Who came
// is not kept. Called by one runner thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/projections/model_projection.hpp"
#include "sql/day_counts.hpp"

namespace tideline::accounts {

class VisitModel {
 public:
  static constexpr std::array kTables{"profile_visit_count"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const { counter_.flush(transaction); }
  void clear() { counter_.clear(); }

 private:
  sql::DayCounter counter_{kTables[0]};
};

class ProfileVisitProjection final : public eventsourcing::ModelProjection<VisitModel> {
 public:
  std::string_view name() const override { return "profile-visits"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
};

struct VisitCounts {
  std::int64_t today = 0;
  std::int64_t last_30_days = 0;  // today among them
  std::int64_t total = 0;         // of all days
  friend bool operator==(const VisitCounts&, const VisitCounts&) = default;
};

// In the caller's transaction; any thread.
VisitCounts find_visits(sql::Transaction& transaction, const core::AccountId& owner,
                        core::Day today);

}  // namespace tideline::accounts
