#include "feed/projections/interaction_projection.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kUpsertLikes = R"(
INSERT INTO moment_like (author_partition, moment, account, liked_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::timestamptz[])
ON CONFLICT (moment, account, author_partition) DO UPDATE SET liked_at = excluded.liked_at)";

// A deletion leaves nothing of what was said, only that it was.
constexpr const char* kUpsertComments = R"(
INSERT INTO moment_comment (author_partition, moment, id, author, text, written_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::uuid[], $5::text[],
                     $6::timestamptz[])
ON CONFLICT (moment, id, author_partition) DO UPDATE SET text = NULL WHERE excluded.text IS NULL)";

}  // namespace

void InteractionProjection::load(sql::Transaction&) { flushed(); }

void InteractionProjection::flushed() {
  likes_.clear();
  comments_.clear();
}

void InteractionProjection::apply(const eventsourcing::RecordedEvent& event) {
  auto known = read::read_event(event);
  if (!known) return;
  if (const auto* liked = std::get_if<read::MomentLiked>(&*known)) {
    likes_[{liked->moment, liked->account}] = liked->liked_at;
  } else if (const auto* unliked = std::get_if<read::MomentUnliked>(&*known)) {
    likes_[{unliked->moment, unliked->account}] = std::nullopt;
  } else if (auto* added = std::get_if<read::CommentAdded>(&*known)) {
    comments_[{added->moment, added->id}] = {added->author, std::move(added->sealed_text),
                                             added->written_at};
  } else if (const auto* deleted = std::get_if<read::CommentDeleted>(&*known)) {
    CommentChange& change = comments_[{deleted->moment, deleted->id}];
    change.author = deleted->author;
    change.sealed_text.reset();
  }
}

void InteractionProjection::flush(sql::Transaction& transaction) {
  if (!likes_.empty()) write_likes(transaction);
  if (!comments_.empty()) write_comments(transaction);
}

void InteractionProjection::write_likes(sql::Transaction& transaction) const {
  std::vector<int> partitions;
  std::vector<core::MomentId> moments;
  std::vector<core::AccountId> accounts;
  std::vector<std::optional<core::Timestamp>> times;
  for (const auto& [key, liked_at] : likes_) {
    partitions.push_back(core::author_partition(key.first));
    moments.push_back(key.first);
    accounts.push_back(key.second);
    times.push_back(liked_at);
  }
  transaction.execute(kUpsertLikes, {partitions, moments, accounts, times});
}

void InteractionProjection::write_comments(sql::Transaction& transaction) const {
  std::vector<int> partitions;
  std::vector<core::MomentId> moments;
  std::vector<core::CommentId> ids;
  std::vector<core::AccountId> authors;
  std::vector<std::optional<std::string>> texts;
  std::vector<core::Timestamp> times;
  for (const auto& [key, comment] : comments_) {
    partitions.push_back(core::author_partition(key.first));
    moments.push_back(key.first);
    ids.push_back(key.second);
    authors.push_back(comment.author);
    texts.push_back(comment.sealed_text);
    times.push_back(comment.written_at);
  }
  transaction.execute(kUpsertComments, {partitions, moments, ids, authors, texts, times});
}

}  // namespace tideline::feed
