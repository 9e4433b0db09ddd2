#include "social-graph/projections/moment_setting_model.hpp"

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/domain/moment_setting.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

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
  sql::write_batch(transaction,
                   "INSERT INTO moment_setting AS held"
                   " (owner, other, hides_other, hidden_from_other, since, version)"
                   " SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::boolean[],"
                   " $5::timestamptz[], $6::bigint[])"
                   " ON CONFLICT (owner, other) DO UPDATE SET hides_other = excluded.hides_other,"
                   " hidden_from_other = excluded.hidden_from_other, since = excluded.since,"
                   " version = excluded.version"
                   " WHERE excluded.version > held.version",
                   rows_, &Key::owner, &Key::other, &Row::hides_other, &Row::hidden_from_other,
                   &Row::since, &Row::version);
}

}  // namespace tideline::social_graph
