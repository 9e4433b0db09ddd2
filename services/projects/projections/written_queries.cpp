#include "projects/projections/written_queries.hpp"

namespace tideline::projects {

using sql::Row;
using sql::Transaction;

std::vector<BelowProject<CommentRow>> list_comments_by(Transaction& transaction,
                                                       const core::AccountId& author,
                                                       const PlaceBelow<std::int64_t>& after,
                                                       int limit) {
  std::vector<BelowProject<CommentRow>> comments;
  for (const Row& row : transaction.execute(
           "SELECT project_id, id, parent_id, author, body,"
           " (extract(epoch FROM written_at) * 1000000)::bigint FROM comment"
           " WHERE author = $1::uuid AND removed_at IS NULL AND (project_id, id) > ($2, $3::bigint)"
           " ORDER BY project_id, id LIMIT $4::int",
           {author, after.project, after.id, limit})) {
    comments.push_back(
        {row.text(0),
         {row.integer(1), row.integer(2), row.account(3), row.text(4), row.timestamp_us(5)}});
  }
  return comments;
}

std::vector<BelowProject<AdviceRow>> list_advice_by(Transaction& transaction,
                                                    const core::AccountId& adviser,
                                                    const PlaceBelow<std::string>& after,
                                                    int limit) {
  std::vector<BelowProject<AdviceRow>> advice;
  for (const Row& row :
       transaction.execute("SELECT project_id, id, adviser, body,"
                           " (extract(epoch FROM given_at) * 1000000)::bigint,"
                           " (extract(epoch FROM adopted_at) * 1000000)::bigint FROM advice"
                           " WHERE adviser = $1::uuid AND (project_id, id) > ($2, $3)"
                           " ORDER BY project_id, id LIMIT $4::int",
                           {adviser, after.project, after.id, limit})) {
    AdviceRow one{row.text(1), row.account(2), row.text(3), row.timestamp_us(4), std::nullopt};
    if (!row.is_null(5)) one.adopted_at = row.timestamp_us(5);
    advice.push_back({row.text(0), std::move(one)});
  }
  return advice;
}

std::vector<BelowProject<DocumentRow>> list_documents_by(Transaction& transaction,
                                                         const core::AccountId& author,
                                                         const PlaceBelow<std::string>& after,
                                                         int limit) {
  std::vector<BelowProject<DocumentRow>> documents;
  for (const Row& row :
       transaction.execute("SELECT project_id, id, author, title, media_type, size, hash,"
                           " (extract(epoch FROM added_at) * 1000000)::bigint FROM document"
                           " WHERE author = $1::uuid AND (project_id, id) > ($2, $3)"
                           " ORDER BY project_id, id LIMIT $4::int",
                           {author, after.project, after.id, limit})) {
    documents.push_back({row.text(0),
                         {row.text(1),
                          row.account(2),
                          row.text(3),
                          {row.text(4), row.integer(5), row.text(6)},
                          row.timestamp_us(7)}});
  }
  return documents;
}

std::vector<std::string> list_votes_by(Transaction& transaction, const core::AccountId& voter,
                                       const std::string& after, int limit) {
  std::vector<std::string> projects;
  for (const Row& row : transaction.execute(
           "SELECT project_id FROM vote WHERE voter = $1::uuid AND standing AND project_id > $2"
           " ORDER BY project_id LIMIT $3::int",
           {voter, after, limit})) {
    projects.push_back(row.text(0));
  }
  return projects;
}

}  // namespace tideline::projects
