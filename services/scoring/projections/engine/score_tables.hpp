// What the engine's tables hold, read row by row: by a start that takes them up, and by whoever
// writes them into a snapshot. Runs inside the caller's transaction and throws TransactionFailed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "scoring/domain/rules.hpp"
#include "scoring/projections/engine/score_memory.hpp"
#include "sql/transaction.hpp"

namespace tideline::scoring {

// The rows of people whom flushes with a higher number than this have written; nullopt: all rows.
using ChangedAfter = std::optional<std::int64_t>;

// With what is deferred in score_delta, which nobody may fold meanwhile: the transaction has one
// snapshot, or has folded everything itself while nobody flushes.
void visit_scores(sql::Transaction& transaction, ChangedAfter after,
                  const std::function<void(const core::AccountId&, const PersonScore&)>& visit);
// Of days from `from` on; in the same way.
void visit_days(sql::Transaction& transaction, ChangedAfter after, core::Day from,
                const std::function<void(const core::AccountId&, core::Day, const Totals&)>& visit);
void visit_counts(
    sql::Transaction& transaction, ChangedAfter after, core::Day from,
    const std::function<void(const core::AccountId&, core::Day, Reason, std::uint32_t)>& visit);

// A flush, and which tables it wrote: those of a copy that is built anew are others.
struct FlushMark {
  std::int64_t tables = 0;
  std::int64_t number = 0;
  std::string id;  // drawn by the flush: an older copy of the database has another one

  friend bool operator==(const FlushMark&, const FlushMark&) = default;
};
// The last one; that with this number, nullopt where it is not known (any more).
FlushMark last_flush(sql::Transaction& transaction);
std::optional<FlushMark> find_flush(sql::Transaction& transaction, std::int64_t number);

// Nobody exchanges the tables until the transaction ends. Its first statement.
void hold_tables(sql::Transaction& transaction);

// Whom flushes with a higher number have written: how often in all, and who.
std::uint64_t count_changed(sql::Transaction& transaction, std::int64_t after);
std::vector<core::AccountId> list_changed(sql::Transaction& transaction, std::int64_t after);

struct DayAwards {
  core::Day day;
  Reason reason = Reason::SignIn;
  std::int64_t events = 0;
  std::int64_t points = 0;
};
std::vector<DayAwards> list_awards(sql::Transaction& transaction, core::Day from);

}  // namespace tideline::scoring
