// How often something happened to each of many subjects, by day: a table (subject text, day date,
// count bigint) with key (subject, day). Counts are added to, so whatever order they come in, the
// table ends the same. Blocks on the database; throws TransactionFailed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "sql/columns.hpp"

namespace tideline::sql {

// Gathers a batch for one table, whose name is part of statements: a constant. One thread.
class DayCounter {
 public:
  explicit DayCounter(std::string_view table) : table_(table) {}

  void add(std::string subject, core::Day day) { ++counts_[{std::move(subject), day}]; }
  void flush(Transaction& transaction) const {
    write_batch(transaction,
                "INSERT INTO " + table_ +
                    " AS held (subject, day, count)"
                    " SELECT * FROM unnest($1::text[], $2::date[], $3::bigint[])"
                    " ON CONFLICT (subject, day) DO UPDATE SET count = held.count + excluded.count",
                counts_, &Key::first, &Key::second, kValue);
  }
  void clear() { counts_.clear(); }

 private:
  using Key = std::pair<std::string, core::Day>;

  std::string table_;
  std::map<Key, std::int64_t> counts_;
};

struct DayCounts {
  std::int64_t total = 0;                                // of all days
  std::vector<std::pair<core::Day, std::int64_t>> days;  // that are not empty, the newest first
};

// `days_max`: so many of the newest days.
inline DayCounts find_day_counts(Transaction& transaction, std::string_view table,
                                 const std::string& subject, int days_max) {
  const auto rows =
      transaction.execute("SELECT day, count, sum(count) OVER ()::bigint FROM " +
                              std::string(table) + " WHERE subject = $1 ORDER BY day DESC LIMIT $2",
                          {subject, days_max});
  DayCounts counts;
  if (!rows.empty()) counts.total = rows[0].integer(2);
  for (const Row& row : rows) counts.days.emplace_back(row.day(0), row.integer(1));
  return counts;
}

}  // namespace tideline::sql
