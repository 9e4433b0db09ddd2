#include "projects/projections/comment_model.hpp"

#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

void CommentModel::apply(const eventsourcing::RecordedEvent& event) {
  auto comment = eventsourcing::read_as<read::CommentAdded>(event);
  if (comment) written_.emplace_back(*std::move(comment), event.time);
  auto removed = eventsourcing::read_as<CommentRemoved>(event);
  if (removed) removed_.emplace_back(*std::move(removed), event.time);
}

void CommentModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO comment (project_id, id, parent_id, author, body, written_at)"
      " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[],"
      " $6::timestamptz[]) ORDER BY 1, 2 ON CONFLICT (project_id, id) DO NOTHING",
      written_, &read::CommentAdded::project_id, &read::CommentAdded::comment_id,
      &read::CommentAdded::parent_id, &read::CommentAdded::author, &read::CommentAdded::sealed_text,
      sql::kValue);
  // '0.': a text that is not sealed, and empty.
  sql::write_batch(
      transaction,
      "INSERT INTO comment (project_id, id, parent_id, author, body, written_at, removed_at)"
      " SELECT project_id, id, parent_id, author, '0.', written_at, removed_at"
      " FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::uuid[], $5::timestamptz[],"
      " $6::timestamptz[]) AS new (project_id, id, parent_id, author, written_at, removed_at)"
      " ORDER BY 1, 2 ON CONFLICT (project_id, id)"
      " DO UPDATE SET body = excluded.body, removed_at = excluded.removed_at",
      removed_, &CommentRemoved::project_id, &CommentRemoved::comment_id,
      &CommentRemoved::parent_id, &CommentRemoved::author, &CommentRemoved::written_at,
      sql::kValue);
}

}  // namespace tideline::projects
