#include "accounts/projections/project_list_projection.hpp"

#include "accounts/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::accounts {

void ProjectListProjection::load(sql::Transaction&) { created_.clear(); }

void ProjectListProjection::apply(const eventsourcing::RecordedEvent& event) {
  const auto created = eventsourcing::read_as<read::ProjectCreated>(event);
  if (created) created_.emplace(created->author, created->project_id);
}

void ProjectListProjection::flush(sql::Transaction& transaction) {
  sql::write_batch(transaction,
                   "INSERT INTO account_project (author, project_id)"
                   " SELECT * FROM unnest($1::uuid[], $2::text[])"
                   " ON CONFLICT (author, project_id) DO NOTHING",
                   created_, sql::kKey, sql::kValue);
}

}  // namespace tideline::accounts
