#include "projects/projections/advice_model.hpp"

#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"

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
  std::vector<std::string> projects;
  std::vector<std::string> ids;
  std::vector<core::AccountId> advisers;
  std::vector<std::string> bodies;
  std::vector<core::Timestamp> given;
  std::vector<std::optional<core::Timestamp>> adopted;
  for (const auto& [key, changed] : changed_) {
    if (!changed.given || changed.withdrawn) continue;
    projects.push_back(key.first);
    ids.push_back(key.second);
    advisers.push_back(changed.given->event.advice.adviser);
    bodies.push_back(changed.given->event.sealed_text);
    given.push_back(changed.given->given_at);
    adopted.push_back(changed.adopted_at);
  }
  if (ids.empty()) return;
  transaction.execute(
      "INSERT INTO advice (project_id, id, adviser, body, given_at, adopted_at)"
      " SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[],"
      " $6::timestamptz[])",
      {projects, ids, advisers, bodies, given, adopted});
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
  std::vector<std::string> projects;
  std::vector<std::int64_t> standing;
  std::vector<std::int64_t> adopted;
  for (const auto& [project, delta] : delta_by_project_) {
    projects.push_back(project);
    standing.push_back(delta.standing);
    adopted.push_back(delta.adopted);
  }
  transaction.execute(
      "INSERT INTO advice_count AS held (project_id, standing, adopted)"
      " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])"
      " ON CONFLICT (project_id) DO UPDATE SET standing = held.standing + excluded.standing,"
      " adopted = held.adopted + excluded.adopted",
      {projects, standing, adopted});
}

}  // namespace tideline::projects
