#include "scoring/projections/engine/score_tables.hpp"

#include <absl/container/flat_hash_map.h>

#include <utility>

namespace tideline::scoring {
namespace {

using sql::Params;
using sql::Row;
using sql::Transaction;
using sql::TransactionFailed;

// What follows the columns: all rows, or those of changed people; $1 is the number of a flush.
constexpr const char* kOfChanged =
    " JOIN (SELECT DISTINCT unnest(accounts) AS account_id FROM score_flush WHERE number > $1)"
    " AS changed USING (account_id)";

constexpr const char* kSelectScores =
    "DECLARE score_rows NO SCROLL CURSOR FOR SELECT account_id, points,"
    " (extract(epoch FROM reached_at) * 1000000)::bigint, standing FROM score";
constexpr const char* kSelectScoreDeltas =
    "DECLARE delta_rows NO SCROLL CURSOR FOR SELECT account_id, points,"
    " (extract(epoch FROM reached_at) * 1000000)::bigint, standing FROM ("
    "SELECT unnest(accounts) AS account_id, unnest(points) AS points,"
    " unnest(reached_at) AS reached_at, unnest(standing) AS standing FROM score_delta) AS delta";
constexpr const char* kSelectDays =
    "DECLARE day_rows NO SCROLL CURSOR FOR SELECT account_id, day, points,"
    " (extract(epoch FROM reached_at) * 1000000)::bigint FROM day_score";
constexpr const char* kSelectDayDeltas =
    "DECLARE delta_rows NO SCROLL CURSOR FOR SELECT account_id, day, points,"
    " (extract(epoch FROM reached_at) * 1000000)::bigint FROM ("
    "SELECT unnest(day_accounts) AS account_id, unnest(days) AS day, unnest(day_points) AS points,"
    " unnest(day_reached_at) AS reached_at FROM score_delta) AS delta";
// In the order of ledger_by_cap, so that groups come as the index is read: nothing is sorted, and
// the first rows do not wait for the last.
constexpr const char* kSelectCounts =
    "DECLARE count_rows NO SCROLL CURSOR FOR SELECT account_id, day, reason, count(*)"
    " FROM ledger WHERE cap IS NOT NULL AND day >= $1::date"
    " GROUP BY day, account_id, reason ORDER BY day, account_id, reason";
// Of each day that there is, one after the other, and each person by himself: by that index, too.
constexpr const char* kSelectCountsOfChanged =
    "DECLARE count_rows NO SCROLL CURSOR FOR"
    " WITH RECURSIVE lately (day) AS ("
    " SELECT min(day) FROM ledger WHERE cap IS NOT NULL AND day >= $2::date"
    " UNION ALL"
    " SELECT (SELECT min(day) FROM ledger WHERE cap IS NOT NULL AND day > lately.day)"
    " FROM lately WHERE day IS NOT NULL)"
    " SELECT counted.* FROM lately"
    " CROSS JOIN (SELECT DISTINCT unnest(accounts) AS account_id FROM score_flush WHERE number > "
    "$1)"
    " AS changed"
    " CROSS JOIN LATERAL (SELECT account_id, day, reason, count(*) FROM ledger"
    " WHERE cap IS NOT NULL AND day = lately.day AND account_id = changed.account_id"
    " GROUP BY day, account_id, reason) AS counted";

constexpr const char* kFindFlush =
    "SELECT 'score'::regclass::oid::bigint, number, id::text FROM score_flush"
    " WHERE number = $1";
constexpr const char* kLastFlush =
    "SELECT 'score'::regclass::oid::bigint, number, id::text FROM score_flush"
    " ORDER BY number DESC LIMIT 1";
constexpr const char* kCountChanged =
    "SELECT coalesce(sum(cardinality(accounts)), 0)::bigint FROM score_flush WHERE number > $1";
constexpr const char* kListChanged =
    "DECLARE changed_rows NO SCROLL CURSOR FOR"
    " SELECT DISTINCT unnest(accounts) FROM score_flush WHERE number > $1";
constexpr const char* kListAwards =
    "SELECT day, reason, events, points FROM award_day WHERE day >= $1::date";

// Reads through a cursor, so that a large table is never whole in the client's buffers.
template <class Take>
void for_each_row(Transaction& transaction, const std::string& declare, const Params& params,
                  const std::string& cursor, const Take& take) {
  const std::string fetch = "FETCH FORWARD 50000 FROM " + cursor;
  transaction.execute(declare, params);
  while (true) {
    const auto rows = transaction.execute(fetch);
    for (const Row& row : rows) take(row);
    if (rows.empty()) break;
  }
  transaction.execute("CLOSE " + cursor);
}

Reason reason_at(const Row& row, std::size_t column, const char* table) {
  const auto reason = reason_named(row.text(column));
  if (!reason) {
    throw TransactionFailed(core::internal_error(std::string("table ") + table +
                                                 " holds the unknown reason " + row.text(column)));
  }
  return *reason;
}

// Each row that `held` declares, joined with those of its key that `deferred` does, and those that
// are deferred alone. `read` makes a key and a value of a row.
template <class Hash, class Read, class Visit>
void for_each_joined(Transaction& transaction, const std::string& held, const std::string& deferred,
                     const Params& params, const std::string& cursor, const Read& read,
                     const Visit& visit) {
  using Entry = decltype(read(std::declval<const Row&>()));
  absl::flat_hash_map<typename Entry::first_type, typename Entry::second_type, Hash> deltas;
  for_each_row(transaction, deferred, params, "delta_rows", [&](const Row& row) {
    const auto [key, delta] = read(row);
    deltas[key].join(delta);
  });
  for_each_row(transaction, held, params, cursor, [&](const Row& row) {
    auto [key, value] = read(row);
    if (const auto delta = deltas.extract(key)) value.join(delta.mapped());
    visit(key, value);
  });
  for (const auto& [key, delta] : deltas) visit(key, delta);
}

std::pair<core::AccountId, PersonScore> score_of(const Row& row) {
  return {row.account(0),
          {row.integer(1), row.timestamp_us(2), static_cast<std::uint8_t>(row.integer(3))}};
}

std::pair<PersonDay, Totals> day_of(const Row& row) {
  return {{row.account(0), row.day(1)}, {row.integer(2), row.timestamp_us(3)}};
}

FlushMark mark_of(const Row& row) { return {row.integer(0), row.integer(1), row.text(2)}; }

}  // namespace

void visit_scores(Transaction& transaction, ChangedAfter after,
                  const std::function<void(const core::AccountId&, const PersonScore&)>& visit) {
  const std::string rows = after ? kOfChanged : "";
  const Params params = after ? Params{*after} : Params{};
  for_each_joined<std::hash<core::AccountId>>(transaction, kSelectScores + rows,
                                              kSelectScoreDeltas + rows, params, "score_rows",
                                              score_of, visit);
}

void visit_days(
    Transaction& transaction, ChangedAfter after, core::Day from,
    const std::function<void(const core::AccountId&, core::Day, const Totals&)>& visit) {
  const std::string rows = after ? std::string(kOfChanged) + " WHERE day >= $2::date"
                                 : std::string(" WHERE day >= $1::date");
  const Params params = after ? Params{*after, from} : Params{from};
  for_each_joined<PersonDay::Hash>(
      transaction, kSelectDays + rows, kSelectDayDeltas + rows, params, "day_rows", day_of,
      [&](const PersonDay& of, const Totals& earned) { visit(of.account, of.day, earned); });
}

void visit_counts(
    Transaction& transaction, ChangedAfter after, core::Day from,
    const std::function<void(const core::AccountId&, core::Day, Reason, std::uint32_t)>& visit) {
  const Params params = after ? Params{*after, from} : Params{from};
  for_each_row(transaction, after ? kSelectCountsOfChanged : kSelectCounts, params, "count_rows",
               [&](const Row& row) {
                 visit(row.account(0), row.day(1), reason_at(row, 2, "ledger"),
                       static_cast<std::uint32_t>(row.integer(3)));
               });
}

FlushMark last_flush(Transaction& transaction) {
  return mark_of(transaction.execute(kLastFlush).at(0));
}

std::optional<FlushMark> find_flush(Transaction& transaction, std::int64_t number) {
  const auto rows = transaction.execute(kFindFlush, {number});
  if (rows.empty()) return std::nullopt;
  return mark_of(rows[0]);
}

void hold_tables(Transaction& transaction) {
  transaction.execute(
      "LOCK TABLE score, score_delta, day_score, ledger, award_day, score_flush IN ACCESS SHARE "
      "MODE");
}

std::uint64_t count_changed(Transaction& transaction, std::int64_t after) {
  const auto rows = transaction.execute(kCountChanged, {after});
  return static_cast<std::uint64_t>(rows.at(0).integer(0));
}

std::vector<core::AccountId> list_changed(Transaction& transaction, std::int64_t after) {
  std::vector<core::AccountId> accounts;
  for_each_row(transaction, kListChanged, {after}, "changed_rows",
               [&](const Row& row) { accounts.push_back(row.account(0)); });
  return accounts;
}

std::vector<DayAwards> list_awards(Transaction& transaction, core::Day from) {
  std::vector<DayAwards> awards;
  for (const Row& row : transaction.execute(kListAwards, {from})) {
    awards.push_back({row.day(0), reason_at(row, 1, "award_day"), row.integer(2), row.integer(3)});
  }
  return awards;
}

}  // namespace tideline::scoring
