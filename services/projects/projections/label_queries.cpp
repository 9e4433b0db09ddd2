#include <string>
#include <vector>

#include "blocks/blocks.hpp"
#include "projects/projections/project_queries.hpp"

namespace tideline::projects {

std::vector<LabelRow> list_labels(sql::Transaction& transaction, const core::AccountId& viewer,
                                  int limit) {
  // More than are shown: of some the viewer may see no project, and a label of older events has two
  // keys.
  static const std::string select =
      "SELECT used.label_key, used.projects, shown.author, shown.labels"
      " FROM (SELECT label_key, authors, projects FROM label_use WHERE authors > 0"
      "       ORDER BY authors DESC, projects DESC, label_key LIMIT $2) AS used"
      " CROSS JOIN LATERAL (SELECT project.author, project.labels"
      "       FROM project_by_label AS place JOIN project ON project.id = place.project_id"
      "       WHERE place.label_key = used.label_key AND place.listed AND NOT EXISTS"
      "         (SELECT FROM person WHERE account_id = place.author AND closed) AND NOT " +
      blocks::are_apart_sql("place.author", "$1::uuid") +
      "       ORDER BY place.published_at DESC, place.project_id DESC LIMIT 1) AS shown"
      " ORDER BY used.authors DESC, used.projects DESC, used.label_key";
  std::vector<LabelRow> labels;
  for (const auto& row : transaction.execute(select, {viewer, 2 * limit})) {
    labels.push_back({row.text(0), row.integer(1), row.account(2), row.text(3)});
  }
  return labels;
}

std::vector<std::string> projects_of(sql::Transaction& transaction, const core::AccountId& author,
                                     const std::string& after, int limit) {
  std::vector<std::string> ids;
  for (const auto& row : transaction.execute(
           "SELECT project_id FROM project_by_author WHERE author = $1::uuid AND project_id > $2"
           " ORDER BY project_id LIMIT $3",
           {author, after, limit})) {
    ids.push_back(row.text(0));
  }
  return ids;
}

std::vector<std::string> open_votes_of(sql::Transaction& transaction, const core::AccountId& voter,
                                       const std::string& after, int limit) {
  std::vector<std::string> ids;
  for (const auto& row : transaction.execute(
           "SELECT vote.project_id FROM vote JOIN voting ON voting.project_id = vote.project_id"
           " WHERE voter = $1::uuid AND standing AND voting.state = 'open' AND vote.project_id > $2"
           " ORDER BY vote.project_id LIMIT $3",
           {voter, after, limit})) {
    ids.push_back(row.text(0));
  }
  return ids;
}

}  // namespace tideline::projects
