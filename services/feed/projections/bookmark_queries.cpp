#include "feed/projections/bookmark_queries.hpp"

namespace tideline::feed {

const char* const kListBookmarksSql = R"(
SELECT (extract(epoch FROM bookmarked_at) * 1000000)::bigint, moment FROM bookmark
WHERE owner = $1::uuid AND (bookmarked_at, moment) < ($2::timestamptz, $3::bigint)
ORDER BY bookmarked_at DESC, moment DESC LIMIT $4::int)";

std::string to_string(const BookmarkRow& row) {
  return core::format_iso8601(row.bookmarked_at) + "," + core::to_string(row.moment);
}

std::optional<BookmarkRow> parse_bookmark_place(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto time = core::parse_iso8601(text.substr(0, comma));
  const auto moment = core::parse_moment_id(text.substr(comma + 1));
  if (!time || !moment) return std::nullopt;
  return BookmarkRow{*time, *moment};
}

std::vector<BookmarkRow> list_bookmarks(sql::Transaction& transaction, const core::AccountId& owner,
                                        const std::optional<BookmarkRow>& behind,
                                        std::size_t limit) {
  // Nothing is of such a time.
  const BookmarkRow bound = behind.value_or(
      BookmarkRow{core::parse_iso8601("9999-12-31T00:00:00.000000Z").value(), core::MomentId(1)});
  std::vector<BookmarkRow> rows;
  for (const auto& row :
       transaction.execute(kListBookmarksSql, {owner, bound.bookmarked_at, bound.moment, limit})) {
    rows.push_back(
        {row.timestamp_us(0), core::MomentId(static_cast<std::uint64_t>(row.integer(1)))});
  }
  return rows;
}

}  // namespace tideline::feed
