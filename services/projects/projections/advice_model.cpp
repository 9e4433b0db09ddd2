#include "projects/projections/advice_model.hpp"

#include <ranges>

#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

void AdviceModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::AdviceGiven, AdviceAdopted, AdviceWithdrawn>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  const auto changed = [&](const AdviceIdentity& advice) -> Changed& {
    return changed_[{advice.project_id, advice.advice_id}];
  };
  std::visit(eventsourcing::Overloaded{
                 [&](read::AdviceGiven& given) {
                   ++delta_by_project_[given.advice.project_id].standing;
                   Changed& entry = changed(given.advice);
                   entry.given = Given{std::move(given), event.time};
                 },
                 [&](const AdviceAdopted& adopted) {
                   ++delta_by_project_[adopted.advice.project_id].adopted;
                   changed(adopted.advice).adopted_at = event.time;
                 },
                 [&](const AdviceWithdrawn& withdrawn) {
                   --delta_by_project_[withdrawn.advice.project_id].standing;
                   changed(withdrawn.advice).withdrawn = true;
                 },
             },
             *known);
}

void AdviceModel::flush(sql::Transaction& transaction) const {
  if (changed_.empty()) return;
  flush_given(transaction);
  flush_changed(transaction);
  flush_counts(transaction);
}

void AdviceModel::clear() {
  changed_.clear();
  delta_by_project_.clear();
}

// What was given and withdrawn within one batch never gets a row.
void AdviceModel::flush_given(sql::Transaction& transaction) const {
  const auto gets_row = [](const auto& entry) {
    return entry.second.given && !entry.second.withdrawn;
  };
  using read::AdviceGiven;
  sql::write_batch(
      transaction,
      "INSERT INTO advice (project_id, id, adviser, body, given_at, adopted_at)"
      " SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[],"
      " $6::timestamptz[])",
      changed_ | std::views::filter(gets_row), &Key::first, &Key::second,
      sql::at(&Changed::given, &Given::event, &AdviceGiven::advice, &AdviceIdentity::adviser),
      sql::at(&Changed::given, &Given::event, &AdviceGiven::sealed_text),
      sql::at(&Changed::given, &Given::given_at), &Changed::adopted_at);
}

// One statement each: adoptions and withdrawals are rare, and each touches one row of one
// partition.
void AdviceModel::flush_changed(sql::Transaction& transaction) const {
  for (const auto& [key, changed] : changed_) {
    if (changed.given) continue;
    if (changed.withdrawn) {
      transaction.execute("DELETE FROM advice WHERE project_id = $1 AND id = $2",
                          {key.first, key.second});
    } else {
      transaction.execute("UPDATE advice SET adopted_at = $3 WHERE project_id = $1 AND id = $2",
                          {key.first, key.second, changed.adopted_at});
    }
  }
}

void AdviceModel::flush_counts(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO advice_count AS held (project_id, standing, adopted)"
      " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])"
      " ON CONFLICT (project_id) DO UPDATE SET standing = held.standing + excluded.standing,"
      " adopted = held.adopted + excluded.adopted",
      delta_by_project_, sql::kKey, &CountDelta::standing, &CountDelta::adopted);
}

}  // namespace tideline::projects
