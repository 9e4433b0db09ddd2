// Reads tables `moment_like` and `moment_comment`. Says nothing of who may see a row: ask the
// engine first. Everything of one moment lies in one partition.
//
// Functions block on the database and throw TransactionFailed, as the Transaction does.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "sql/keyset.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// $1 = partition, $2 = moment, $3 = accounts or ids. Public for the test that asks PostgreSQL how
// it runs them.
extern const char* const kLikesSql;
extern const char* const kFindCommentsSql;

// Those of `likers` who like the moment, newest first.
sql::Slice<sql::PersonSince> list_likes(sql::Transaction& transaction, core::MomentId moment,
                                        const std::vector<core::AccountId>& likers,
                                        const sql::Window<core::AccountId>& window);

struct CommentRow {
  std::optional<std::string> sealed_text;  // nullopt once deleted
  core::Timestamp written_at;
  std::vector<core::AccountId> mentions{};
};

// Those of `ids` that the table holds.
std::map<core::CommentId, CommentRow> find_comments(sql::Transaction& transaction,
                                                    core::MomentId moment,
                                                    const std::vector<core::CommentId>& ids);

}  // namespace tideline::feed
