#include "social-graph/projections/moment_setting_model.hpp"

#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/moment_setting.hpp"
#include "social-graph/stored_events.hpp"

namespace tideline::social_graph {

void MomentSettingModel::apply(const eventsourcing::RecordedEvent& event) {
  const auto read = eventsourcing::read_any<MomentSetting::Event>(event);
  if (!read) return;
  std::visit(eventsourcing::Overloaded{[&](const MomentSettingChanged& changed) {
               rows_[{changed.owner, changed.other}] = {
                   changed.hides_other, changed.hidden_from_other, event.time, event.version};
             }},
             *read);
}

void MomentSettingModel::flush(sql::Transaction& transaction) const {
  if (rows_.empty()) return;
  std::vector<core::AccountId> owners;
  std::vector<core::AccountId> others;
  std::vector<bool> hides;
  std::vector<bool> hidden_from;
  std::vector<core::Timestamp> times;
  std::vector<core::StreamVersion> versions;
  for (const auto& [key, row] : rows_) {
    owners.push_back(key.first);
    others.push_back(key.second);
    hides.push_back(row.hides_other);
    hidden_from.push_back(row.hidden_from_other);
    times.push_back(row.since);
    versions.push_back(row.version);
  }
  transaction.execute(
      "INSERT INTO moment_setting AS held"
      " (owner, other, hides_other, hidden_from_other, since, version)"
      " SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::boolean[],"
      " $5::timestamptz[], $6::bigint[])"
      " ON CONFLICT (owner, other) DO UPDATE SET hides_other = excluded.hides_other,"
      " hidden_from_other = excluded.hidden_from_other, since = excluded.since,"
      " version = excluded.version"
      " WHERE excluded.version > held.version",
      {owners, others, hides, hidden_from, times, versions});
}

}  // namespace tideline::social_graph
