#include "accounts/projections/project_list_projection.hpp"

#include <vector>

#include "accounts/stored_events.hpp"

namespace tideline::accounts {

void ProjectListProjection::load(sql::Transaction&) { created_.clear(); }

void ProjectListProjection::apply(const eventsourcing::RecordedEvent& event) {
  const auto created = eventsourcing::read_as<read::ProjectCreated>(event);
  if (created) created_.emplace(created->author, created->project_id);
}

void ProjectListProjection::flush(sql::Transaction& transaction) {
  if (created_.empty()) return;
  std::vector<core::AccountId> authors;
  std::vector<std::string> projects;
  for (const auto& [author, project] : created_) {
    authors.push_back(author);
    projects.push_back(project);
  }
  transaction.execute(
      "INSERT INTO account_project (author, project_id)"
      " SELECT * FROM unnest($1::uuid[], $2::text[])"
      " ON CONFLICT (author, project_id) DO NOTHING",
      {authors, projects});
}

}  // namespace tideline::accounts
