#include "accounts/projections/project_list_projection.hpp"

#include <functional>
#include <ranges>
#include <variant>

#include "accounts/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::accounts {

void ProjectListProjection::load(sql::Transaction&) { shown_.clear(); }

void ProjectListProjection::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::ProjectCreated, read::ProjectWithdrawn, read::ProjectRestored>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  const bool shown = !std::holds_alternative<read::ProjectWithdrawn>(*known);
  std::visit([&](const auto& fact) { shown_[{fact.author, fact.project_id}] = shown; }, *known);
}

void ProjectListProjection::flush(sql::Transaction& transaction) {
  using Key = std::pair<core::AccountId, std::string>;
  const auto is_shown = [](const auto& entry) { return entry.second; };
  sql::write_batch(transaction,
                   "INSERT INTO account_project (author, project_id)"
                   " SELECT * FROM unnest($1::uuid[], $2::text[])"
                   " ON CONFLICT (author, project_id) DO NOTHING",
                   shown_ | std::views::filter(is_shown), &Key::first, &Key::second);
  sql::write_batch(transaction,
                   "DELETE FROM account_project USING unnest($1::uuid[], $2::text[])"
                   " AS gone (author, project_id) WHERE account_project.author = gone.author"
                   " AND account_project.project_id = gone.project_id",
                   shown_ | std::views::filter(std::not_fn(is_shown)), &Key::first, &Key::second);
}

}  // namespace tideline::accounts
