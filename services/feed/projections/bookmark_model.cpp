#include "feed/projections/bookmark_model.hpp"

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kUpsertBookmarks = R"(
INSERT INTO bookmark (owner, moment, bookmarked_at)
SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) AS new (owner, moment, at)
WHERE at IS NOT NULL
ON CONFLICT (owner, moment) DO UPDATE SET bookmarked_at = excluded.bookmarked_at)";

constexpr const char* kDeleteBookmarks = R"(
DELETE FROM bookmark
USING unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) AS gone (owner, moment, at)
WHERE at IS NULL AND bookmark.owner = gone.owner AND bookmark.moment = gone.moment)";

}  // namespace

void BookmarkModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<MomentBookmarked, BookmarkRemoved>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (const auto* set = std::get_if<MomentBookmarked>(&*known)) {
    changes_[{set->owner, set->moment}] = set->bookmarked_at;
  } else if (const auto* removed = std::get_if<BookmarkRemoved>(&*known)) {
    changes_[{removed->owner, removed->moment}] = std::nullopt;
  }
}

void BookmarkModel::flush(sql::Transaction& transaction) const {
  for (const char* sql : {kUpsertBookmarks, kDeleteBookmarks}) {
    sql::write_batch(transaction, sql, changes_, &Key::first, &Key::second, sql::kValue);
  }
}

}  // namespace tideline::feed
