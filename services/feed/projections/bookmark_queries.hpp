// Reads table `bookmark` for its owner. Says nothing of whether he may still see a moment: ask the
// engine. Everything of one owner lies in one partition.
//
// Functions of a Transaction block on the database and throw TransactionFailed, as it does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

struct BookmarkRow {
  core::Timestamp bookmarked_at;
  core::MomentId moment;
  friend bool operator==(const BookmarkRow&, const BookmarkRow&) = default;
};

// As the place in a list: "2026-01-02T03:04:05.678901Z,7417345923014574081".
std::string to_string(const BookmarkRow& row);
std::optional<BookmarkRow> parse_bookmark_place(std::string_view text);

// Newest first, behind a row, at most `limit`.
std::vector<BookmarkRow> list_bookmarks(sql::Transaction& transaction, const core::AccountId& owner,
                                        const std::optional<BookmarkRow>& behind,
                                        std::size_t limit);

// $1 = owner, $2 and $3 = the row behind which it begins, $4 = limit. Public for the test that asks
// PostgreSQL how it runs it.
extern const char* const kListBookmarksSql;

}  // namespace tideline::feed
