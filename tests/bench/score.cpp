// The scoring engine with lognormal scores, in this process and behind a socket.
//   memory    builds the engine's memory for --members people; bytes, and nanoseconds: of an add
//             beside a random add to as many bare numbers, of a rank beside a random read of them,
//             and milliseconds of somebody's neighbours beside a pass over them
//   serve     the same memory behind the protocol that Redis speaks, on --port, for one connection:
//             score_add MEMBER DELTA, score_rank MEMBER, score_top COUNT
//   tables    flush of 100,000 people to PostgreSQL, and a load of --members from it
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/score_database.hpp"
#include "bench/score_wire.hpp"
#include "core/check.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/projections/engine/score_engine.hpp"

namespace {

using namespace tideline;
using namespace tideline::bench;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kBand = 1'000'000;
constexpr std::size_t kOperations = 2'000'000;
constexpr int kTurns = 5;
constexpr std::size_t kAhead = scoring::ScoreMemory::kAhead;
constexpr std::size_t kSteps = scoring::ScoreMemory::kSteps;
const core::Timestamp kNow{std::chrono::microseconds(1'780'000'000'000'000)};

double since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

void fill(scoring::ScoreMemory& memory, std::uint32_t members) {
  std::mt19937_64 random(1);
  for (std::uint32_t member = 0; member < members; ++member) {
    memory.put(
        numbered_account(member),
        {lognormal_score(random), kNow - std::chrono::seconds(member), scoring::kRegistered});
  }
  memory.finish();
}

// Members in random order, so that each is a cache miss.
std::vector<std::uint32_t> random_members(std::uint32_t members) {
  std::mt19937_64 random(2);
  std::vector<std::uint32_t> chosen(kOperations);
  for (auto& member : chosen) member = static_cast<std::uint32_t>(random() % members);
  return chosen;
}

double nanoseconds_each(SteadyClock::time_point start) {
  return since(start) * 1e9 / static_cast<double>(kOperations);
}

// An array with a number for each member, of which places are read or added to at random: what
// nothing that looks a member up can go below, and nothing that adds to his number.
class BareNumbers {
 public:
  explicit BareNumbers(std::uint32_t members) : numbers_(members, 1) {}

  double read_ns(const std::vector<std::uint32_t>& chosen, std::uint64_t& sum) const {
    const auto start = SteadyClock::now();
    for (const std::uint32_t member : chosen) sum += numbers_[member];
    return nanoseconds_each(start);
  }
  double add_ns(const std::vector<std::uint32_t>& chosen, std::uint64_t& sum) {
    const auto start = SteadyClock::now();
    for (const std::uint32_t member : chosen) numbers_[member] += member % 5;
    const double took = nanoseconds_each(start);
    sum += numbers_[chosen.front()];
    return took;
  }
  double pass_ms(std::uint64_t& sum) const {
    const auto start = SteadyClock::now();
    for (const std::uint32_t number : numbers_) sum += number;
    return since(start) * 1e3;
  }

 private:
  std::vector<std::uint32_t> numbers_;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// How far ahead of its turn a step is asked for.
constexpr std::size_t ahead_of(std::size_t step) { return kAhead - step * kAhead / kSteps; }

// Calls work(account) for each of them, and tells the memory before whom it comes to.
template <class Work>
double with_expectation(const scoring::ScoreMemory& memory,
                        const std::vector<core::AccountId>& accounts, const Work& work) {
  const auto start = SteadyClock::now();
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    for (std::size_t step = 0; step < kSteps; ++step) {
      const std::size_t coming = i + ahead_of(step);
      if (coming < accounts.size()) memory.prefetch(accounts[coming], step);
    }
    work(accounts[i]);
  }
  return nanoseconds_each(start);
}

// What somebody earns next, and what is pending of it: time goes on from measurement to
// measurement.
class Earnings {
 public:
  scoring::PersonScore next() {
    ++step_;
    return {1 + step_ % 5, kNow + std::chrono::microseconds(step_), 0};
  }
  void note(const core::AccountId& account, const scoring::PersonScore& change) {
    pending_.add_score(account, change);
    if (pending_.changes() >= kPendingMax) pending_.clear();
  }

 private:
  std::int64_t step_ = 0;
  scoring::ScoreChanges pending_;
};

// As the engine does for one event on one board.
double add_ns(scoring::ScoreMemory& memory, const std::vector<core::AccountId>& accounts,
              Earnings& earnings) {
  return with_expectation(memory, accounts, [&](const core::AccountId& account) {
    const scoring::PersonScore change = earnings.next();
    memory.add(account, change);
    earnings.note(account, change);
  });
}

double rank_ns(const scoring::ScoreMemory& memory, const std::vector<core::AccountId>& accounts,
               std::uint64_t& sum) {
  return with_expectation(memory, accounts, [&](const core::AccountId& account) {
    sum += memory.board().rank_of(memory.find(account)->points);
  });
}

// The neighbours of a few people, who among many millions are mostly far below the band: those
// ahead and those behind. Each time some changes have come since.
double around_ms(scoring::ScoreMemory& memory, const std::vector<core::AccountId>& accounts,
                 Earnings& earnings, std::uint64_t& sum) {
  constexpr std::size_t kAsked = 9;
  constexpr std::size_t kChanges = 10'000;
  constexpr std::size_t kSpan = 5;
  std::vector<double> times;
  for (std::size_t i = 0; i < kAsked; ++i) {
    for (std::size_t change = 0; change < kChanges; ++change) {
      memory.add(accounts[i * kChanges + change], earnings.next());
    }
    const auto start = SteadyClock::now();
    const auto own = memory.entry({}, accounts[i]);
    if (!own) continue;
    sum += memory.board().before(*own, kSpan).size() + memory.board().after(*own, kSpan).size();
    times.push_back(since(start) * 1e3);
  }
  return median(times);
}

// Members by number alone, with the totals that the all-time board has.
class NumberedMembers final : public scoring::BoardMembers {
 public:
  explicit NumberedMembers(std::uint32_t members) {
    std::mt19937_64 random(1);
    for (std::uint32_t member = 0; member < members; ++member) {
      table.make(member);
      table.set_totals(member, {lognormal_score(random), kNow - std::chrono::seconds(member)});
      accounts_.make(member) = numbered_account(member);
    }
  }
  std::optional<scoring::Totals> totals_of(std::uint32_t member) const override {
    return table.totals(member);
  }
  void prefetch(std::uint32_t member) const override { table.prefetch(member); }
  const core::AccountId& account_of(std::uint32_t member) const override {
    return accounts_[member];
  }
  void scan(std::int64_t lowest, std::int64_t highest, const Visit& visit) const override {
    table.for_each(lowest, highest, [&](std::uint32_t member, const scoring::Totals& has) {
      const core::AccountId& account = accounts_[member];
      if (account != core::AccountId{}) visit({member, {has.points, has.reached_at, account}});
    });
  }

  scoring::MemberTable table;

 private:
  scoring::Column<core::AccountId> accounts_;
};

// The board's own part of both, by the member's number: without finding the account. An add also
// notes what is pending, as the engine's do.
double board_rank_ns(const std::vector<std::uint32_t>& chosen, const scoring::RankBoard& board,
                     const scoring::MemberTable& table, std::uint64_t& sum) {
  const auto start = SteadyClock::now();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i + kAhead < chosen.size()) table.prefetch(chosen[i + kAhead]);
    sum += board.rank_of(table.points(chosen[i]));
  }
  return nanoseconds_each(start);
}

double board_add_ns(const std::vector<std::uint32_t>& chosen,
                    const std::vector<core::AccountId>& accounts, scoring::RankBoard& board,
                    scoring::MemberTable& table, Earnings& earnings) {
  const auto start = SteadyClock::now();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i + kAhead < chosen.size()) table.prefetch(chosen[i + kAhead]);
    const scoring::PersonScore change = earnings.next();
    const scoring::Totals had = table.totals(chosen[i]);
    scoring::Totals has = had;
    has.join({change.points, change.reached_at});
    table.set_totals(chosen[i], has);
    board.move(chosen[i], {had.points, had.reached_at, accounts[i]},
               {has.points, has.reached_at, accounts[i]});
    earnings.note(accounts[i], change);
  }
  return nanoseconds_each(start);
}

// Nanoseconds of the board beside those of bare numbers, each the median of turns that follow one
// another closely: what else runs on the machine slows both.
struct BoardFigures {
  double random_read = 0;
  double random_add = 0;
  double pass_ms = 0;
  double rank = 0;
  double add = 0;
};

BoardFigures measure_board(const std::vector<std::uint32_t>& chosen,
                           const std::vector<core::AccountId>& accounts, std::uint32_t members,
                           std::uint64_t& sum) {
  BareNumbers numbers(members);
  NumberedMembers known(members);
  scoring::RankBoard board(kBand, known);
  board.rebuild();
  // The first adds also make the lists larger, and take memory of the system for that: here and
  // below they are not counted.
  Earnings earnings;
  board_add_ns(chosen, accounts, board, known.table, earnings);
  std::vector<double> passes;
  std::vector<double> random_reads;
  std::vector<double> random_adds;
  std::vector<double> ranks;
  std::vector<double> adds;
  for (int turn = 0; turn < kTurns; ++turn) {
    passes.push_back(numbers.pass_ms(sum));
    random_reads.push_back(numbers.read_ns(chosen, sum));
    ranks.push_back(board_rank_ns(chosen, board, known.table, sum));
    random_adds.push_back(numbers.add_ns(chosen, sum));
    adds.push_back(board_add_ns(chosen, accounts, board, known.table, earnings));
  }
  return {median(random_reads), median(random_adds), median(passes), median(ranks), median(adds)};
}

// Of a board of the day, the week or the month in which everybody has earned something.
double period_bytes(scoring::ScoreMemory& memory, std::uint32_t members) {
  const core::Day day = core::utc_day(kNow);
  for (std::uint32_t member = 0; member < members; ++member) {
    const auto earned_at = kNow + std::chrono::microseconds(member);
    memory.add(numbered_account(member), {1 + member % 100, earned_at, 0}, day);
  }
  return static_cast<double>(memory.bytes().periods) / scoring::kSpans.size() / members;
}

int measure_memory(std::uint32_t members) {
  const auto chosen = random_members(members);
  std::vector<core::AccountId> accounts;
  for (const std::uint32_t member : chosen) accounts.push_back(numbered_account(member));
  std::uint64_t sum = 0;
  const BoardFigures board = measure_board(chosen, accounts, members, sum);

  const auto start = SteadyClock::now();
  scoring::ScoreMemory memory(kBand);
  fill(memory, members);
  const double built = since(start);
  const double rank = rank_ns(memory, accounts, sum);
  Earnings earnings;
  const double around = around_ms(memory, accounts, earnings, sum);
  const scoring::MemoryBytes bytes = memory.bytes();
  add_ns(memory, accounts, earnings);
  const double add = add_ns(memory, accounts, earnings);
  const double of_period = period_bytes(memory, members);
  std::printf(
      "{\"members\":%u,\"random_read_ns\":%.3f,\"random_add_ns\":%.3f,\"board_add_ns\":%.3f,"
      "\"board_rank_ns\":%.3f,\"pass_ms\":%.4f,"
      "\"add_ns\":%.3f,\"rank_ns\":%.3f,\"around_ms\":%.4f,\"built_s\":%.3f,\"board_bytes\":%.3f,"
      "\"period_bytes\":%.3f,\"all_bytes\":%.3f,\"sum\":%llu}\n",
      members, board.random_read, board.random_add, board.add, board.rank, board.pass_ms, add, rank,
      around, built, static_cast<double>(bytes.all_time) / members, of_period,
      static_cast<double>(bytes.all_time + bytes.people) / members,
      static_cast<unsigned long long>(sum % 10));
  return 0;
}

// The engine's memory under its lock, a command at a time.
class Board final : public WireBoard {
 public:
  explicit Board(std::uint32_t members) { fill(memory_, members); }

  void prefetch(const core::AccountId& account, std::size_t step) override {
    memory_.prefetch(account, step);
  }
  std::int64_t add(const core::AccountId& account, std::int64_t delta) override {
    const absl::WriterMutexLock lock(&mutex_);
    scoring::PersonScore change = earnings_.next();
    change.points = delta;
    memory_.add(account, change);
    earnings_.note(account, change);
    return memory_.find(account)->points;
  }
  std::uint64_t rank(const core::AccountId& account) override {
    const absl::ReaderMutexLock lock(&mutex_);
    const auto found = memory_.find(account);
    return found ? memory_.board().rank_of(found->points) : 0;
  }
  std::vector<scoring::BoardEntry> top(std::size_t count) override {
    const absl::ReaderMutexLock lock(&mutex_);
    return memory_.board().after(std::nullopt, count);
  }

 private:
  absl::Mutex mutex_;
  scoring::ScoreMemory memory_{kBand};
  Earnings earnings_;
};

// A database as the service has it, with so many rows in table score.
postgres::DatabaseOptions prepared(const std::string& conninfo, std::uint32_t members) {
  postgres::DatabaseOptions options = scoring_database(conninfo);
  postgres::PooledDatabase database(options);
  const auto filled = database.transact(
      [&](sql::Transaction& transaction) { copy_people(transaction, members, kNow); });
  CHECK(filled.ok(), filled.ok() ? "" : filled.error().message.c_str());
  return options;
}

// What one statement takes that adds 100,000 numbers to a table of as many rows.
double plain_upsert_s(postgres::PooledDatabase& database) {
  double seconds = 0;
  const auto done = database.transact([&](sql::Transaction& transaction) {
    transaction.execute("DROP TABLE IF EXISTS plain");
    transaction.execute("CREATE TABLE plain (id uuid PRIMARY KEY, points bigint NOT NULL)");
    const auto start = SteadyClock::now();
    transaction.execute("INSERT INTO plain SELECT gen_random_uuid(), i FROM generate_series(1, " +
                        std::to_string(kPendingMax) +
                        ") AS i ON CONFLICT (id) DO UPDATE SET"
                        " points = plain.points + excluded.points");
    seconds = since(start);
  });
  CHECK(done.ok(), "the plain table can be written");
  return seconds;
}

int measure_tables(const std::string& conninfo, std::uint32_t members) {
  const core::UtcCalendar campus;
  postgres::PooledDatabase database(prepared(conninfo, members));
  const core::ManualClock clock(kNow);
  core::SeededRandom random(1);
  eventsourcing::InMemoryEventStore store("scoring", 1, clock, random);
  scoring::StoredRules rules(store, clock);
  scoring::ScoreEngine engine(rules, campus, clock, {});
  const auto start = SteadyClock::now();
  const auto loaded =
      database.transact([&](sql::Transaction& transaction) { engine.load(transaction); });
  const double load = since(start);
  if (!loaded) return failed(loaded.error().message);
  const FlushTimes times = measure_flush(engine, database, members, kNow);
  std::printf("{\"load_per_s\":%.1f,\"flush_s\":%.4f,\"fold_s\":%.4f,\"plain_s\":%.4f}\n",
              members / load, times.flush_s, times.fold_s, plain_upsert_s(database));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The scoring engine with lognormal scores");
  std::uint32_t members = 1'000'000;
  std::uint16_t port = 0;
  std::string database;
  app.add_option("--members", members);
  auto* memory = app.add_subcommand("memory");
  auto* serve = app.add_subcommand("serve");
  auto* tables = app.add_subcommand("tables");
  serve->add_option("--port", port)->required();
  tables->add_option("--database", database)->required();
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  if (memory->parsed()) return measure_memory(members);
  if (tables->parsed()) return measure_tables(database, members);
  Board board(members);
  return serve_board(board, port);
}
