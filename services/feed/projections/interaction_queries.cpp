#include "feed/projections/interaction_queries.hpp"

#include "feed/projections/moment_queries.hpp"

namespace tideline::feed {

using sql::PersonSince;
using sql::Row;
using sql::Slice;
using sql::Transaction;

const char* const kLikesSql = R"(
SELECT account, (extract(epoch FROM liked_at) * 1000000)::bigint FROM moment_like
WHERE author_partition = $1::smallint AND moment = $2::bigint AND account = ANY ($3::uuid[])
  AND liked_at IS NOT NULL)";

Slice<PersonSince> list_likes(Transaction& transaction, core::MomentId moment,
                              const std::vector<core::AccountId>& likers,
                              const sql::Window<core::AccountId>& window) {
  return sql::select_newest_first<PersonSince>(
      transaction, {kLikesSql, "liked_at", "account"},
      {core::author_partition(moment), moment, likers}, window, [](const Row& row) {
        return PersonSince{row.account(0), row.timestamp_us(1)};
      });
}

const char* const kFindCommentsSql = R"(
SELECT id, text, (extract(epoch FROM written_at) * 1000000)::bigint, mentions FROM moment_comment
WHERE author_partition = $1::smallint AND moment = $2::bigint AND id = ANY ($3::bigint[]))";

std::map<core::CommentId, CommentRow> find_comments(Transaction& transaction, core::MomentId moment,
                                                    const std::vector<core::CommentId>& ids) {
  std::map<core::CommentId, CommentRow> found;
  if (ids.empty()) return found;
  for (const Row& row :
       transaction.execute(kFindCommentsSql, {core::author_partition(moment), moment, ids})) {
    found.emplace(core::CommentId(static_cast<std::uint64_t>(row.integer(0))),
                  CommentRow{row.nullable_text(1), row.timestamp_us(2), mentions_in(row, 3)});
  }
  return found;
}

}  // namespace tideline::feed
