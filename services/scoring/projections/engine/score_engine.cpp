#include "scoring/projections/engine/score_engine.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/check.hpp"
#include "scoring/projections/awards.hpp"
#include "scoring/projections/engine/score_tables.hpp"
#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;
using sql::Transaction;

// No event speaks of more than two people.
constexpr std::size_t kPeoplePerEvent = 2;

constexpr std::chrono::milliseconds kFoldingPause{500};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ScoreEngine::ScoreEngine(RuleKeeper& rules, const core::CampusCalendar& campus,
                         const core::Clock& clock, EngineOptions options)
    : keeper_(rules),
      campus_(campus),
      clock_(clock),
      options_(options),
      memory_(new_memory(today())) {}

std::unique_ptr<ScoreMemory> ScoreEngine::new_memory(core::Day day) const {
  auto memory = std::make_unique<ScoreMemory>(options_.band_members);
  memory->forget_before(day);
  return memory;
}

std::vector<std::string> ScoreEngine::sources() const {
  return {"accounts", "projects", "social-graph", "scoring"};
}

eventsourcing::FlushPolicy ScoreEngine::flush_policy() const {
  return {options_.flush_interval,
          std::max<std::size_t>(1, options_.pending_people_max / kPeoplePerEvent)};
}

void ScoreEngine::load(Transaction& transaction) {
  const auto start = std::chrono::steady_clock::now();
  const core::Day day = today();
  auto rules = keeper_.read();
  if (!rules) throw sql::TransactionFailed(rules.error());
  hold_folding(transaction);  // for what is deferred is read by statements of its own
  auto loaded = memory_of_snapshot(transaction, day);
  const bool from_snapshot = loaded != nullptr;
  if (!from_snapshot) loaded = memory_of_tables(transaction, day);
  changes_.clear();
  counted_by_.clear();
  pending_changes_ = 0;
  {
    const absl::MutexLock no_new_departments(&departments_mutex_);
    {
      const absl::ReaderMutexLock lock(&mutex_);
      loaded->put_departments_of(*memory_);
    }
    loaded->finish();
    const absl::WriterMutexLock lock(&mutex_);
    memory_.swap(loaded);
    load_ = {from_snapshot, seconds_since(start)};
    rules_ = std::make_shared<const RuleChanges::State>(*std::move(rules));
  }
  // What was there before is freed here, outside the lock.
}

std::unique_ptr<ScoreMemory> ScoreEngine::memory_of_tables(Transaction& transaction,
                                                           core::Day day) const {
  auto loaded = new_memory(day);
  visit_scores(transaction, std::nullopt,
               [&](const core::AccountId& account, const PersonScore& score) {
                 loaded->put(account, score);
               });
  visit_days(transaction, std::nullopt, ScoreMemory::earned_from(day),
             [&](const core::AccountId& account, core::Day of, const Totals& earned) {
               loaded->put_day(account, of, earned);
             });
  visit_counts(transaction, std::nullopt, ScoreMemory::counted_from(day),
               [&](const core::AccountId& account, core::Day of, Reason reason,
                   std::uint32_t events) { loaded->put_cap(account, of, reason, events); });
  return loaded;
}

// nullptr: there is none that can be used.
std::unique_ptr<ScoreMemory> ScoreEngine::memory_of_snapshot(Transaction& transaction,
                                                             core::Day day) const {
  for (const std::filesystem::path& file : options_.snapshots.files()) {
    auto loaded = new_memory(day);
    const auto restored = restore_snapshot(transaction, file, day, *loaded);
    if (options_.tell_load) options_.tell_load(file, restored);
    if (restored) return loaded;
  }
  return nullptr;
}

std::optional<ScoreEngine::Counting> ScoreEngine::read_counting(const RecordedEvent& event) {
  auto fact = read_fact(event);
  if (!fact) return std::nullopt;
  auto awards = awards_of(*fact);
  auto people = people_of(*fact, awards);
  return Counting{*std::move(fact), std::move(awards), std::move(people)};
}

void ScoreEngine::prefetch(const RecordedEvent& event) {
  std::ranges::rotate(coming_, coming_.end() - 1);
  coming_[0].clear();
  if (const Counting* const counting = prefetched_.prefetch(event)) coming_[0] = counting->people;
  // Departments, which may number somebody new, come on threads of their own.
  const absl::ReaderMutexLock lock(&mutex_);
  for (std::size_t step = 0; step < coming_.size(); ++step) {
    for (const core::AccountId& account : coming_.at(step)) memory_->prefetch(account, step);
  }
}

void ScoreEngine::apply(const RecordedEvent& event) {
  const auto counting = prefetched_.take(event);
  if (!counting) return;
  const absl::WriterMutexLock lock(&mutex_);
  if (const auto* registered = std::get_if<read::AccountRegistered>(&counting->fact)) {
    change(registered->account, {0, event.time, kRegistered});
  } else if (const auto* closed = std::get_if<read::AccountClosed>(&counting->fact)) {
    change(closed->account, {0, core::Timestamp{}, kClosed});
  } else if (const auto* changed = std::get_if<RulesChanged>(&counting->fact)) {
    change_rules(event, *changed);
  } else if (const auto* settled = std::get_if<RuleDaysSettled>(&counting->fact)) {
    change_rules(event, *settled);
  }
  for (const core::AccountId& account : counting->people) changes_.add_event(account);
  for (const Award& award : counting->awards) take(event, award);
  pending_changes_ = changes_.changes();
}

// What was read from the store may be ahead of what comes through Kafka.
void ScoreEngine::change_rules(const RecordedEvent& event, const RuleChanges::Event& change) {
  if (event.version.value() != rules_->version.value() + 1) return;
  rules_ = std::make_shared<const RuleChanges::State>(RuleChanges::evolve(*rules_, change));
}

// A day that is not settled stays with the version that it was first counted by until the flush.
const RuleSet& ScoreEngine::rules_of(core::Day day) {
  const RuleBook& book = rules_->book;
  if (book.settled(day)) return book.on(day);
  const auto [counted, first] = counted_by_.try_emplace(day, 0);
  if (first) counted->second = book.on(day).version;
  return book.version(counted->second);
}

void ScoreEngine::take(const RecordedEvent& event, const Award& award) {
  const core::Day day = campus_.day_of(event.time);
  Rule rule{award.reason, award.adjusted_by};
  if (award.reason != Reason::Adjustment) {
    const Rule* found = rules_of(day).find(award.reason);
    if (found == nullptr) return;
    rule = *found;
  }
  bool counts = true;
  bool belated = false;
  if (rule.cap_per_day) {
    const CapKey key{award.account, day, award.reason};
    const auto counted = memory_->count(key.account, key.day, key.reason, *rule.cap_per_day);
    belated = !counted;
    counts = counted.value_or(false);
    if (belated) changes_.add_belated(key, rule, event.time);
  }
  if (!belated) ++(counts ? awards_ : capped_)[static_cast<std::size_t>(award.reason)];
  if (rule.contribution != 0 && counts) {
    changes_.add_contribution(award.account, day, rule.contribution);
  }
  // A change by nothing is none: neither the total nor its time moves.
  if (rule.points != 0) {
    const std::int64_t points = counts ? rule.points : 0;
    change(award.account, {points, event.time, 0}, day);
    changes_.add_awards(day, award.reason, 1, points);
  }
  if (rule.points != 0 || rule.cap_per_day) {
    changes_.add_ledger(event, award, day, rule.points, rule.cap_per_day);
  }
}

void ScoreEngine::change(const core::AccountId& account, const PersonScore& change,
                         std::optional<core::Day> day) {
  memory_->add(account, change, day);
  changes_.add_score(account, change);
  if (day) changes_.add_day(account, *day, {change.points, change.reached_at});
}

void ScoreEngine::set_department(const core::AccountId& account, std::string_view department) {
  const absl::MutexLock one_memory(&departments_mutex_);
  const absl::WriterMutexLock lock(&mutex_);
  memory_->set_department(account, department);
}

eventsourcing::Preparation ScoreEngine::prepare_flush() {
  if (counted_by_.empty()) return {};
  std::vector<CountedDay> days;
  for (const auto& [day, version] : counted_by_) days.push_back({day, version});
  auto settled = keeper_.settle(days);
  if (!settled) {
    return {eventsourcing::Preparation::State::Failed, settled.error(), nullptr};
  }
  const absl::WriterMutexLock lock(&mutex_);
  rules_ = std::make_shared<const RuleChanges::State>(*std::move(settled));
  counted_by_.clear();
  return {};
}

void ScoreEngine::flush(Transaction& transaction) {
  CHECK(counted_by_.empty(), "what is flushed was counted by rules that are settled");
  changes_.flush(transaction);
}

void ScoreEngine::flushed() {
  {
    const absl::WriterMutexLock lock(&mutex_);
    for (const auto& [key, belated] : changes_.belated()) {
      const auto reason = static_cast<std::size_t>(key.reason);
      awards_.at(reason) += belated.earning;
      capped_.at(reason) += belated.events - belated.earning;
      const std::int64_t points = belated.earning * belated.rule.points;
      if (points != 0) memory_->add(key.account, {points, belated.latest, 0}, key.day);
    }
    memory_->forget_before(today());
  }
  changes_.clear();
  pending_changes_ = 0;
  flushes_pending_ = changes_.deferred();
}

void ScoreEngine::run_folding(sql::Database& database, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stopped.wait_for(lock, stop, kFoldingPause, [&] { return stop.stop_requested(); })) {
    auto pending = flushes_pending_.load();
    if (pending == 0) continue;
    const auto folded =
        database.transact([&](Transaction& transaction) { apply_deferred(transaction); });
    // A flush that has committed meanwhile has said anew what is pending, or does so next time.
    if (folded) flushes_pending_.compare_exchange_strong(pending, 0);
  }
}

RankedEntry ScoreEngine::ranked(const RankBoard& board, const BoardEntry& entry) const {
  const auto score = memory_->find(entry.account);
  return {board.rank_of(entry.points), entry, score ? score->points : 0};
}

Total ScoreEngine::total(const core::AccountId& account, const BoardName& name) const {
  const absl::ReaderMutexLock lock(&mutex_);
  Total total;
  if (const auto score = memory_->find(account)) total.points_of_all_time = score->points;
  // Also of who is on no board.
  if (!name.period && !name.department) total.points = total.points_of_all_time;
  const RankBoard* board = memory_->board(name);
  if (board == nullptr) return total;
  total.members = board->size();
  const auto entry = memory_->entry(name, account);
  if (!entry) return total;
  total.points = entry->points;
  total.rank = board->rank_of(entry->points);
  total.below = board->below(entry->points);
  return total;
}

BoardPage ScoreEngine::page(const BoardWindow& window, const BoardName& name) const {
  const absl::ReaderMutexLock lock(&mutex_);
  const RankBoard* board = memory_->board(name);
  BoardPage page;
  if (board == nullptr) return page;
  const bool upwards = window.before.has_value();
  // One more than asked for tells whether there is a further page.
  auto entries = upwards ? board->before(*window.before, window.limit + 1)
                         : board->after(window.after, window.limit + 1);
  const bool more = entries.size() > window.limit;
  if (more) entries.erase(upwards ? entries.begin() : std::prev(entries.end()));
  for (const BoardEntry& entry : entries) page.items.push_back(ranked(*board, entry));
  page.more_before = upwards ? more : window.after.has_value();
  page.more_after = upwards || more;
  return page;
}

std::vector<RankedEntry> ScoreEngine::around(const core::AccountId& account, std::size_t span,
                                             const BoardName& name) const {
  const absl::ReaderMutexLock lock(&mutex_);
  std::vector<RankedEntry> found;
  const RankBoard* board = memory_->board(name);
  const auto own = memory_->entry(name, account);
  if (board == nullptr || !own) return found;
  for (const BoardEntry& entry : board->before(*own, span)) found.push_back(ranked(*board, entry));
  found.push_back(ranked(*board, *own));
  for (const BoardEntry& entry : board->after(*own, span)) found.push_back(ranked(*board, entry));
  return found;
}

std::shared_ptr<const RuleChanges::State> ScoreEngine::rules() const {
  const absl::ReaderMutexLock lock(&mutex_);
  return rules_;
}

std::vector<std::uint64_t> ScoreEngine::members_by_level(const Levels& levels) const {
  const absl::ReaderMutexLock lock(&mutex_);
  const RankBoard& board = memory_->board();
  std::vector<std::uint64_t> members;
  std::uint64_t below = 0;
  for (const std::int64_t threshold : levels.thresholds()) {
    members.push_back(board.below(threshold) - below);
    below = board.below(threshold);
  }
  members.push_back(board.size() - below);
  return members;
}

EngineStatus ScoreEngine::status() const {
  const absl::ReaderMutexLock lock(&mutex_);
  return {.members = memory_->board().size(),
          .people = memory_->people(),
          .band = memory_->board().band_size(),
          .cap_counters = memory_->cap_counters(),
          .pending_changes = pending_changes_,
          .flushes_pending = flushes_pending_,
          .departments = memory_->departments(),
          .periods = memory_->periods(),
          .bytes = memory_->bytes(),
          .awards = awards_,
          .capped = capped_,
          .load = load_};
}

}  // namespace tideline::scoring
