#include "feed/projections/written_queries.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tideline::feed {
namespace {

core::MomentId moment_at(const sql::Row& row, int column) {
  return core::MomentId(static_cast<std::uint64_t>(row.integer(column)));
}

}  // namespace

std::vector<WrittenMoment> list_moments_by(sql::Transaction& transaction,
                                           const core::AccountId& author, core::MomentId after,
                                           int limit) {
  std::vector<core::MomentId> ids;
  for (const auto& row : transaction.execute(
           "SELECT id FROM moment WHERE author = $1::uuid AND id > $2::bigint AND NOT deleted"
           " ORDER BY id LIMIT $3::int",
           {author, after, limit})) {
    ids.push_back(moment_at(row, 0));
  }
  std::vector<WrittenMoment> written;
  for (auto& [id, moment] : find_moments(transaction, ids)) {
    if (moment.sealed_content) written.push_back({std::move(moment), {}});
  }
  for (const auto& row : transaction.execute(
           "SELECT moment, content, (extract(epoch FROM edited_at) * 1000000)::bigint"
           " FROM moment_edit WHERE moment = ANY ($1::bigint[]) ORDER BY moment, edit",
           {ids})) {
    const auto place = std::ranges::lower_bound(
        written, moment_at(row, 0), {}, [](const WrittenMoment& one) { return one.moment.id; });
    if (place != written.end() && place->moment.id == moment_at(row, 0)) {
      place->edits.push_back({row.text(1), row.timestamp_us(2)});
    }
  }
  return written;
}

std::vector<WrittenComment> list_comments_by(sql::Transaction& transaction,
                                             const core::AccountId& author,
                                             const CommentPlace& after, int limit) {
  std::vector<WrittenComment> comments;
  for (const auto& row : transaction.execute(
           "SELECT moment, id, text, (extract(epoch FROM written_at) * 1000000)::bigint, mentions"
           " FROM moment_comment WHERE author = $1::uuid AND text IS NOT NULL"
           " AND (moment, id) > ($2::bigint, $3::bigint) ORDER BY moment, id LIMIT $4::int",
           {author, after.moment, static_cast<std::int64_t>(after.id.value()), limit})) {
    comments.push_back({moment_at(row, 0),
                        core::CommentId(static_cast<std::uint64_t>(row.integer(1))), row.text(2),
                        row.timestamp_us(3), mentions_in(row, 4)});
  }
  return comments;
}

std::vector<GivenLike> list_likes_by(sql::Transaction& transaction, const core::AccountId& account,
                                     core::MomentId after, int limit) {
  std::vector<GivenLike> likes;
  for (const auto& row : transaction.execute(
           "SELECT moment, (extract(epoch FROM liked_at) * 1000000)::bigint FROM moment_like"
           " WHERE account = $1::uuid AND liked_at IS NOT NULL AND moment > $2::bigint"
           " ORDER BY moment LIMIT $3::int",
           {account, after, limit})) {
    likes.push_back({moment_at(row, 0), row.timestamp_us(1)});
  }
  return likes;
}

std::vector<MessageRow> list_messages_by(sql::Transaction& transaction,
                                         const core::AccountId& sender, core::Timestamp after,
                                         int limit) {
  std::vector<ReceivedMessage> keys;
  for (const auto& row :
       transaction.execute("SELECT (extract(epoch FROM sent_at) * 1000000)::bigint FROM message"
                           " WHERE sender = $1::uuid AND sent_at > $2::timestamptz AND NOT recalled"
                           " ORDER BY sent_at LIMIT $3::int",
                           {sender, after, limit})) {
    keys.push_back({{row.timestamp_us(0), sender}, true});
  }
  return read_copies(transaction, keys);
}

}  // namespace tideline::feed
