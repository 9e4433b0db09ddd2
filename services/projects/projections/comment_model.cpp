#include "projects/projections/comment_model.hpp"

#include "projects/stored_events.hpp"

namespace tideline::projects {

void CommentModel::apply(const eventsourcing::RecordedEvent& event) {
  auto comment = eventsourcing::read_as<read::CommentAdded>(event);
  if (comment) added_.push_back({*std::move(comment), event.time});
}

void CommentModel::flush(sql::Transaction& transaction) const {
  if (added_.empty()) return;
  std::vector<std::string> projects;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> parents;
  std::vector<core::AccountId> authors;
  std::vector<std::string> bodies;
  std::vector<core::Timestamp> times;
  for (const Added& added : added_) {
    projects.push_back(added.comment.project_id);
    ids.push_back(added.comment.comment_id);
    parents.push_back(added.comment.parent_id);
    authors.push_back(added.comment.author);
    bodies.push_back(added.comment.sealed_text);
    times.push_back(added.written_at);
  }
  transaction.execute(
      "INSERT INTO comment (project_id, id, parent_id, author, body, written_at)"
      " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[],"
      " $6::timestamptz[]) ORDER BY 1, 2",
      {projects, ids, parents, authors, bodies, times});
}

}  // namespace tideline::projects
