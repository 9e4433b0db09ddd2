#include "accounts/projections/profile_visits.hpp"

#include <chrono>

#include "accounts/stored_events.hpp"

namespace tideline::accounts {
namespace {

constexpr int kDaysShown = 30;

}  // namespace

void VisitModel::apply(const eventsourcing::RecordedEvent& event) {
  const auto viewed = eventsourcing::read_as<ProfileViewed>(event);
  if (viewed) counter_.add(viewed->owner.to_string(), viewed->day);
}

VisitCounts find_visits(sql::Transaction& transaction, const core::AccountId& owner,
                        core::Day today) {
  // Days ahead come from a clock that was wrong; they may take places of the newest days.
  const auto found = sql::find_day_counts(transaction, VisitModel::kTables[0], owner.to_string(),
                                          kDaysShown + kDaysShown);
  VisitCounts visits{.total = found.total};
  for (const auto& [day, count] : found.days) {
    if (day == today) visits.today = count;
    if (day <= today && day > today - std::chrono::days(kDaysShown)) visits.last_30_days += count;
  }
  return visits;
}

}  // namespace tideline::accounts
