#include "projects/projections/comment_model.hpp"

#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

void CommentModel::apply(const eventsourcing::RecordedEvent& event) {
  auto comment = eventsourcing::read_as<read::CommentAdded>(event);
  if (comment) written_.emplace_back(*std::move(comment), event.time);
}

void CommentModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO comment (project_id, id, parent_id, author, body, written_at)"
      " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[],"
      " $6::timestamptz[]) ORDER BY 1, 2",
      written_, &read::CommentAdded::project_id, &read::CommentAdded::comment_id,
      &read::CommentAdded::parent_id, &read::CommentAdded::author, &read::CommentAdded::sealed_text,
      sql::kValue);
}

}  // namespace tideline::projects
