#include "scoring/projections/snapshot/snapshot_restore.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/pages_ahead.hpp"
#include "scoring/projections/engine/score_tables.hpp"
#include "scoring/projections/snapshot/snapshot_file.hpp"

namespace tideline::scoring {
namespace {

using sql::Transaction;

// Rows written since are looked up one by one: when flushes have named people more often than a
// quarter of all, and not just a few, reading the tables is the shorter way.
constexpr std::uint64_t kChangedPart = 4;
constexpr std::uint64_t kChangedAlways = 10'000;

core::Day day_of(std::int32_t days) { return core::Day(std::chrono::days(days)); }

// Puts what the file holds. Days of people who changed since are left out: they add up.
class Taker final : public SnapshotVisitor {
 public:
  Taker(ScoreMemory& memory, const std::vector<core::AccountId>& changed)
      : memory_(memory), changed_(changed) {}

  void people(std::span<const PersonRow> rows) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t ahead = i + ScoreMemory::kAhead;
      if (ahead < rows.size()) memory_.prefetch(rows[ahead].account, 0);
      memory_.put(rows[i].account, rows[i].score());
    }
    marked_ = false;
  }
  void days(std::span<const DayRow> rows) override {
    mark_changed();
    for (const DayRow& row : rows) {
      if (is_changed_[row.person]) continue;
      const core::Timestamp reached(std::chrono::microseconds(row.reached_us));
      memory_.put_day(row.person, day_of(row.day), {row.points, reached});
    }
  }
  void counts(std::span<const CountRow> rows) override {
    for (const CountRow& row : rows) {
      if (!memory_.holds_counts_of(day_of(row.day))) continue;
      memory_.put_cap(row.person, day_of(row.day), static_cast<Reason>(row.reason), row.events);
    }
  }

 private:
  // Whom the file does not hold has no days in it.
  void mark_changed() {
    if (marked_) return;
    is_changed_.assign(memory_.people(), false);
    for (const core::AccountId& account : changed_) {
      if (const auto member = memory_.number_of(account)) is_changed_[*member] = true;
    }
    marked_ = true;
  }

  ScoreMemory& memory_;
  const std::vector<core::AccountId>& changed_;
  std::vector<bool> is_changed_;
  bool marked_ = false;
};

core::Status check_origin(Transaction& transaction, const SnapshotReader& snapshot,
                          core::Day today) {
  const SnapshotOrigin& origin = snapshot.origin();
  if (origin.today > today) return core::invalid_input("it is of a day to come");
  const auto flush = find_flush(transaction, origin.flush);
  if (!flush || *flush != FlushMark{origin.tables, origin.flush, origin.flush_id}) {
    return core::invalid_input("it is not of these tables, or older than their log");
  }
  const std::uint64_t changes = count_changed(transaction, origin.flush);
  if (changes > std::max(snapshot.people() / kChangedPart, kChangedAlways)) {
    return core::invalid_input("so much has changed since that the tables are the shorter way");
  }
  return core::success();
}

}  // namespace

core::Result<Restored> restore_snapshot(Transaction& transaction, const std::filesystem::path& file,
                                        core::Day today, ScoreMemory& memory) {
  auto snapshot = SnapshotReader::open(file);
  if (!snapshot) return snapshot.error();
  if (const auto ours = check_origin(transaction, *snapshot, today); !ours) return ours.error();
  const std::int64_t flush = snapshot->origin().flush;
  const std::vector<core::AccountId> changed = list_changed(transaction, flush);

  {
    const core::PagesAhead pages(memory.reserve(snapshot->people()));
    Taker taker(memory, changed);
    if (const auto read = snapshot->read(taker); !read) return read.error();
  }
  if (changed.empty()) return Restored{snapshot->people(), 0};
  visit_scores(transaction, flush, [&](const core::AccountId& account, const PersonScore& score) {
    memory.put(account, score);
  });
  visit_days(transaction, flush, ScoreMemory::earned_from(today),
             [&](const core::AccountId& account, core::Day day, const Totals& earned) {
               memory.put_day(account, day, earned);
             });
  visit_counts(transaction, flush, ScoreMemory::counted_from(today),
               [&](const core::AccountId& account, core::Day day, Reason reason,
                   std::uint32_t events) { memory.put_cap(account, day, reason, events); });
  return Restored{snapshot->people(), changed.size()};
}

}  // namespace tideline::scoring
