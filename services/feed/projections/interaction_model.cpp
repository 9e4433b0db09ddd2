#include "feed/projections/interaction_model.hpp"

#include <utility>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kUpsertLikes = R"(
INSERT INTO moment_like (author_partition, moment, account, liked_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::timestamptz[])
ON CONFLICT (moment, account, author_partition) DO UPDATE SET liked_at = excluded.liked_at)";

// A deletion leaves nothing of what was said, only that it was.
constexpr const char* kUpsertComments = R"(
INSERT INTO moment_comment (author_partition, moment, id, author, text, written_at, mentions)
SELECT author_partition, moment, id, author, text, written_at, mentions::uuid[]
FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[], $6::timestamptz[],
            $7::text[])
     AS written (author_partition, moment, id, author, text, written_at, mentions)
ON CONFLICT (moment, id, author_partition) DO UPDATE SET text = NULL, mentions = '{}'
WHERE excluded.text IS NULL)";

}  // namespace

void InteractionModel::clear() {
  likes_.clear();
  comments_.clear();
}

void InteractionModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::MomentLiked, read::MomentUnliked, read::CommentAdded,
                             read::CommentDeleted>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (const auto* liked = std::get_if<read::MomentLiked>(&*known)) {
    likes_[{liked->moment, liked->account}] = liked->liked_at;
  } else if (const auto* unliked = std::get_if<read::MomentUnliked>(&*known)) {
    likes_[{unliked->moment, unliked->account}] = std::nullopt;
  } else if (auto* added = std::get_if<read::CommentAdded>(&*known)) {
    comments_[{added->moment, added->id}] = {added->author, std::move(added->sealed_text),
                                             added->written_at, std::move(added->mentions)};
  } else if (const auto* deleted = std::get_if<read::CommentDeleted>(&*known)) {
    CommentChange& change = comments_[{deleted->moment, deleted->id}];
    change.author = deleted->author;
    change.sealed_text.reset();
    change.mentions.clear();
  }
}

void InteractionModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(transaction, kUpsertLikes, likes_,
                   sql::at(&LikeKey::first, core::author_partition), &LikeKey::first,
                   &LikeKey::second, sql::kValue);
  sql::write_batch(transaction, kUpsertComments, comments_,
                   sql::at(&CommentKey::first, core::author_partition), &CommentKey::first,
                   &CommentKey::second, &CommentChange::author, &CommentChange::sealed_text,
                   &CommentChange::written_at, sql::at(&CommentChange::mentions, sql::kArrayText));
}

}  // namespace tideline::feed
