// What one person has written and liked, whoever may see it: for that person alone. From behind
// `after`, at most `limit`, without what was deleted, recalled or taken back. Texts come sealed.
//
// Functions block on the database and throw TransactionFailed, as the Transaction does.
#pragma once

#include <string>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "feed/projections/message_queries.hpp"
#include "feed/projections/moment_queries.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

struct WrittenMoment {
  MomentRow moment;                  // with its text
  std::vector<MomentEditRow> edits;  // in their order
};
struct WrittenComment {
  core::MomentId moment;
  core::CommentId id;
  std::string sealed_text;
  core::Timestamp written_at;
  std::vector<core::AccountId> mentions{};
};
struct GivenLike {
  core::MomentId moment;
  core::Timestamp liked_at;
};
// The default is ahead of all.
struct CommentPlace {
  core::MomentId moment;
  core::CommentId id;
};

// By id, which is by time; the default id is ahead of all.
std::vector<WrittenMoment> list_moments_by(sql::Transaction& transaction,
                                           const core::AccountId& author, core::MomentId after,
                                           int limit);
std::vector<WrittenComment> list_comments_by(sql::Transaction& transaction,
                                             const core::AccountId& author,
                                             const CommentPlace& after, int limit);
std::vector<GivenLike> list_likes_by(sql::Transaction& transaction, const core::AccountId& account,
                                     core::MomentId after, int limit);
// By time.
std::vector<MessageRow> list_messages_by(sql::Transaction& transaction,
                                         const core::AccountId& sender, core::Timestamp after,
                                         int limit);

}  // namespace tideline::feed
