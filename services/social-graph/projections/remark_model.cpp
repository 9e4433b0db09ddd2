#include "social-graph/projections/remark_model.hpp"

#include "eventsourcing/commands/decider.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

void RemarkModel::apply(const eventsourcing::RecordedEvent& event) {
  const auto known =
      eventsourcing::read_any<std::variant<read::ContactRemarked, ContactRemarkRemoved>>(event);
  if (!known) return;
  std::visit(eventsourcing::Overloaded{
                 [&](const read::ContactRemarked& now) {
                   rows_[{now.owner, now.other}] = {now.sealed_remark, event.version};
                 },
                 [&](const ContactRemarkRemoved& now) {
                   rows_[{now.owner, now.other}] = {std::nullopt, event.version};
                 },
             },
             *known);
}

void RemarkModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO contact_remark AS held (owner, other, remark, version)"
                   " SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[])"
                   " ON CONFLICT (owner, other) DO UPDATE"
                   " SET remark = excluded.remark, version = excluded.version"
                   " WHERE excluded.version > held.version",
                   rows_, &Key::first, &Key::second, &Row::sealed_remark, &Row::version);
}

}  // namespace tideline::social_graph
