#include "scoring/projections/ledger_queries.hpp"

#include <algorithm>

namespace tideline::scoring {

// No more of a day's earlier events are counted than the cap has. Entries without points are there
// for their cap alone.
const char* const kListLedgerSql = R"(
SELECT (extract(epoch FROM happened_at) * 1000000)::bigint, event, reason, points,
       cap IS NOT NULL AND cap <= (
         SELECT count(*) FROM (
           SELECT 1 FROM ledger AS earlier
           WHERE earlier.account_id = $1::uuid AND earlier.cap IS NOT NULL
             AND earlier.reason = entry.reason AND earlier.day = entry.day
             AND (earlier.happened_at, earlier.event) < (entry.happened_at, entry.event)
           ORDER BY earlier.happened_at, earlier.event
           LIMIT entry.cap) AS counted),
       person, project_id, note
FROM ledger AS entry WHERE account_id = $1::uuid AND points <> 0)";

namespace {

LedgerEntry to_entry(const sql::Row& row) {
  LedgerEntry entry;
  entry.time = row.timestamp_us(0);
  entry.event = row.text(1);
  entry.reason = row.text(2);
  entry.capped = row.boolean(4);
  entry.delta = entry.capped ? 0 : row.integer(3);
  if (!row.is_null(5)) entry.person = row.account(5);
  entry.project_id = row.nullable_text(6);
  entry.sealed_note = row.nullable_text(7);
  return entry;
}

bool is_event_place(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '/';
  });
}

}  // namespace

std::optional<LedgerPlace> parse_ledger_place(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto time = core::parse_iso8601(text.substr(0, comma));
  const std::string_view event = text.substr(comma + 1);
  if (!time || core::format_iso8601(*time) != text.substr(0, comma) || !is_event_place(event)) {
    return std::nullopt;
  }
  return LedgerPlace{*time, std::string(event)};
}

sql::Slice<LedgerEntry> list_ledger(sql::Transaction& transaction, const core::AccountId& account,
                                    const sql::Window<std::string>& window) {
  return sql::select_newest_first<LedgerEntry>(
      transaction, {kListLedgerSql, "happened_at", "event"}, {account}, window, to_entry);
}

}  // namespace tideline::scoring
