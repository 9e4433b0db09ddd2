// The scoring engine: events of all services in, points, ranks and lists out, from memory.
//
// A durable projection: its memory is the tables score and day_score with what score_delta defers,
// and ledger, plus what was applied since; load() reads the tables, by way of a snapshot where
// there is one, flush() adds the deltas to them. Departments are not events: they come from the
// profiles that everybody publishes, at any time, and are kept in memory alone. Commutative:
// whatever the interleaving of logs and topics, and however often it was rebuilt, totals, ranks,
// calendars and ledgers are the same. To that end an event behind a daily cap adds no point but
// still counts as the last time at which its person earned something: which ones are behind the cap
// depends on the interleaving, the latest of all does not.
//
// Rules too: an event of a day that is not settled yet (domain/rule_changes.hpp) is counted by the
// newest rules that are known, at once; but before that is flushed the day is settled with them in
// the rules' stream, or the memory is dropped because they were not the newest.
//
// Memory is bounded by a clock, which apply() does not ask: load() and flushed() forget the periods
// and the counters of caps that are long over. What an event with a cap earns for a day so long ago
// is found by its flush (score_changes.hpp) and shown from then on.
//
// Queries are for any thread and take a reader's lock, for microseconds as long as they stay in the
// top band (see rank_board.hpp); apply() and load() come from one runner thread. Queries wait on
// the runner's positions in memory, those of the tables (calendar, ledger) on the committed ones.
//
// It answers for everybody only where one instance owns all partitions.
#pragma once

#include <absl/synchronization/mutex.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/projections/prefetched_events.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/engine/rule_keeper.hpp"
#include "scoring/projections/engine/score_changes.hpp"
#include "scoring/projections/engine/score_deltas.hpp"
#include "scoring/projections/engine/score_memory.hpp"
#include "scoring/projections/snapshot/snapshot_folder.hpp"
#include "scoring/projections/snapshot/snapshot_restore.hpp"

namespace tideline::scoring {

struct EngineOptions {
  std::size_t band_members = 1'000'000;  // people whose lists are kept in order
  std::chrono::milliseconds flush_interval{2'000};
  std::size_t pending_people_max = 100'000;  // with changes that are not in the tables yet
  // A load takes up the newest snapshot that can be used, and what changed in the tables since.
  SnapshotFolder snapshots{""};
  // Told by a load of each snapshot that it tried: the people read again from the tables, or why it
  // cannot be used. May be empty.
  std::function<void(const std::filesystem::path&, const core::Result<Restored>&)> tell_load{};
};

struct EngineLoad {
  bool from_snapshot = false;
  double seconds = 0;
};

struct Total {
  std::int64_t points = 0;  // on that board
  std::int64_t points_of_all_time = 0;
  std::optional<std::uint64_t> rank;  // nullopt: not on the board
  std::uint64_t below = 0;            // members of the board with fewer points
  std::uint64_t members = 0;          // of the board
};

struct RankedEntry {
  std::uint64_t rank = 0;
  BoardEntry entry;
  std::int64_t points_of_all_time = 0;
  friend bool operator==(const RankedEntry&, const RankedEntry&) = default;
};

// At most one of both places is set; they are not in the page.
struct BoardWindow {
  std::optional<BoardEntry> before{};
  std::optional<BoardEntry> after{};
  std::size_t limit = 20;
};

struct BoardPage {
  std::vector<RankedEntry> items;
  bool more_before = false;
  bool more_after = false;
};

struct EngineStatus {
  std::uint64_t members = 0;
  std::uint64_t people = 0;
  std::uint64_t band = 0;
  std::uint64_t cap_counters = 0;
  std::uint64_t pending_changes = 0;
  std::uint64_t flushes_pending = 0;  // see score_deltas.hpp; as of the last flush
  std::uint64_t departments = 0;
  std::uint64_t periods = 0;
  MemoryBytes bytes{};
  // Since the start, by reason: events that earned, and those behind a daily cap.
  std::array<std::uint64_t, kReasonCount> awards{};
  std::array<std::uint64_t, kReasonCount> capped{};
  EngineLoad load{};  // the last one
};

class ScoreEngine final : public eventsourcing::Projection {
 public:
  // The references outlive the engine.
  ScoreEngine(RuleKeeper& rules, const core::CampusCalendar& campus, const core::Clock& clock,
              EngineOptions options);

  std::string_view name() const override { return "scores"; }
  std::vector<std::string> sources() const override;
  std::vector<std::string> tables() const override {
    return {"score", "score_delta", "day_score", "calendar", "ledger", "award_day"};
  }
  eventsourcing::FlushPolicy flush_policy() const override;
  bool answers_from_memory() const override { return true; }
  void load(sql::Transaction& transaction) override;
  void prefetch(const eventsourcing::RecordedEvent& event) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  eventsourcing::Preparation prepare_flush() override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;
  void apply_deferred(sql::Transaction& transaction) override { fold_deltas(transaction); }
  // Does the same in transactions of its own, soon after each flush that has deferred something,
  // until `stop`. For one thread beside the runner's; blocks on the database.
  void run_folding(sql::Database& database, const std::stop_token& stop);

  // The newest profile of an account says so; "": none. Any thread.
  void set_department(const core::AccountId& account, std::string_view department);

  // Of somebody who has never earned anything: no points, not on the board.
  Total total(const core::AccountId& account, const BoardName& board = {}) const;
  BoardPage page(const BoardWindow& window, const BoardName& board = {}) const;
  // The person with up to `span` neighbours on either side; empty: not on the board.
  std::vector<RankedEntry> around(const core::AccountId& account, std::size_t span,
                                  const BoardName& board = {}) const;
  // The rules' stream as far as it is known here. Never nullptr.
  std::shared_ptr<const RuleChanges::State> rules() const;
  // Members of the board of all time on each level, from level 0 on.
  std::vector<std::uint64_t> members_by_level(const Levels& levels) const;
  EngineStatus status() const;

 private:
  // An event that is used, and whom it counts for.
  struct Counting {
    Fact fact;
    std::vector<Award> awards;
    std::vector<core::AccountId> people;
  };
  static std::optional<Counting> read_counting(const eventsourcing::RecordedEvent& event);

  core::Day today() const { return campus_.day_of(clock_.now()); }
  std::unique_ptr<ScoreMemory> new_memory(core::Day day) const;
  std::unique_ptr<ScoreMemory> memory_of_tables(sql::Transaction& transaction, core::Day day) const;
  std::unique_ptr<ScoreMemory> memory_of_snapshot(sql::Transaction& transaction,
                                                  core::Day day) const;
  RankedEntry ranked(const RankBoard& board, const BoardEntry& entry) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void change_rules(const eventsourcing::RecordedEvent& event, const RuleChanges::Event& change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  const RuleSet& rules_of(core::Day day) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void take(const eventsourcing::RecordedEvent& event, const Award& award)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void change(const core::AccountId& account, const PersonScore& change,
              std::optional<core::Day> day = std::nullopt) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  RuleKeeper& keeper_;
  const core::CampusCalendar& campus_;
  const core::Clock& clock_;
  const EngineOptions options_;

  // Held while departments are taken over into a new memory, so that none is lost meanwhile.
  absl::Mutex departments_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable absl::Mutex mutex_;
  std::unique_ptr<ScoreMemory> memory_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const RuleChanges::State> rules_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<const RuleChanges::State>();
  std::array<std::uint64_t, kReasonCount> awards_ ABSL_GUARDED_BY(mutex_){};
  std::array<std::uint64_t, kReasonCount> capped_ ABSL_GUARDED_BY(mutex_){};
  EngineLoad load_ ABSL_GUARDED_BY(mutex_);

  // The runner's thread alone.
  eventsourcing::PrefetchedEvents<Counting> prefetched_{read_counting};
  // Whom the events count for that come next, the last one told of first: each step of what memory
  // is asked for belongs to another event, so that nobody waits for it.
  static_assert(ScoreMemory::kSteps <= kPrefetchAhead);
  std::array<std::vector<core::AccountId>, ScoreMemory::kSteps> coming_;
  ScoreChanges changes_;
  // Since the last flush: the days that were not settled, and the versions that they were counted
  // by.
  std::map<core::Day, int> counted_by_;
  std::atomic<std::uint64_t> pending_changes_{0};
  std::atomic<std::uint64_t> flushes_pending_{0};
};

}  // namespace tideline::scoring
