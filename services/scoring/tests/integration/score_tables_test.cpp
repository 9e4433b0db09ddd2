// The engine on a real PostgreSQL: what it flushes is what it knows, what it loads is what it knew,
// and a crash between two flushes neither loses nor repeats a point.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <thread>

#include "eventsourcing/topics/in_memory_topics.hpp"
#include "projections/runner/projection_runner.hpp"
#include "scoring/projections/calendar_queries.hpp"
#include "scoring/projections/ledger_queries.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/integration/scoring_database.hpp"

namespace tideline::scoring {
namespace {

using namespace std::chrono_literals;
namespace es = eventsourcing;

constexpr auto kDeadline = 20s;
constexpr std::uint8_t kPeople = 8;
const core::Timestamp kStart = at("2026-03-30T10:00:00.000000Z");

// Lets nothing be committed any more once it is told so, as if the process had been killed.
class MortalDatabase final : public sql::Database {
 public:
  explicit MortalDatabase(sql::Database& inner) : inner_(inner) {}
  void kill() { dead_ = true; }

  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    if (dead_) return core::unavailable("killed");
    return inner_.transact(work);
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    return inner_.snapshot(work);
  }

 private:
  sql::Database& inner_;
  std::atomic<bool> dead_{false};
};

class ScoreTablesTest : public ::testing::Test {
 protected:
  static EngineOptions options(std::chrono::milliseconds flush_interval) {
    EngineOptions made;
    made.flush_interval = flush_interval;
    return made;
  }

  std::unique_ptr<ScoreEngine> new_engine(std::chrono::milliseconds flush_interval = 1h) {
    return std::make_unique<ScoreEngine>(rules.kept, campus, clock, options(flush_interval));
  }

  void load(ScoreEngine& engine) {
    const auto loaded =
        database.transact([&](sql::Transaction& transaction) { engine.load(transaction); });
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  }
  void flush(ScoreEngine& engine) {
    ASSERT_EQ(engine.prepare_flush().state, es::Preparation::State::Done);
    const auto flushed =
        database.transact([&](sql::Transaction& transaction) { engine.flush(transaction); });
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
    engine.flushed();
  }
  void apply_deferred(ScoreEngine& engine) {
    const auto applied = database.transact(
        [&](sql::Transaction& transaction) { engine.apply_deferred(transaction); });
    ASSERT_TRUE(applied.ok()) << applied.error().message;
  }

  void execute(std::initializer_list<std::string> statements) {
    const auto done = database.transact([&](sql::Transaction& transaction) {
      for (const std::string& statement : statements) transaction.execute(statement);
    });
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  // Some of everything, over three campus days, with more views than a day has points for.
  std::vector<es::RecordedEvent> history() {
    std::vector<es::RecordedEvent> events;
    for (std::uint8_t who = 1; who <= kPeople; ++who) {
      const auto other = static_cast<std::uint8_t>(who % kPeople + 1);
      auto time = kStart + std::chrono::minutes(who);
      events.push_back(make.registered(who, time));
      for (int day = 0; day < 3; ++day) {
        time += 24h;
        events.push_back(make.signed_in(who, time));
        events.push_back(make.commented(who, time + 1s));
        events.push_back(make.edited(who, time + 2s));
        events.push_back(make.voted(who, other, true, time + 3s));
      }
      events.push_back(make.contact(who, other, true, time + 4s));
      events.push_back(make.adjusted(who, who % 2 == 0 ? -40 : 2'000'000, time + 5s));
    }
    for (int i = 0; i < 130; ++i)
      events.push_back(make.viewed(1, kStart + std::chrono::minutes(i)));
    events.push_back(make.closed(3, kStart + 90h));
    return events;
  }

  void expect_same(const ScoreEngine& left, const ScoreEngine& right) {
    EXPECT_EQ(left.page({.limit = 100}).items, right.page({.limit = 100}).items);
    for (std::uint8_t who = 1; who <= kPeople; ++who) {
      const Total one = left.total(account_with(who));
      const Total other = right.total(account_with(who));
      EXPECT_EQ(one.points, other.points) << int{who};
      EXPECT_EQ(one.rank, other.rank) << int{who};
    }
    for (const Span span : kSpans) {
      for (const auto time : {kStart, kStart + 24h, kStart + 72h, kStart + 90h}) {
        const BoardName board{.period = {{span, campus.day_of(time)}}};
        EXPECT_EQ(left.page({.limit = 100}, board).items, right.page({.limit = 100}, board).items);
      }
    }
    EXPECT_EQ(left.status().cap_counters, right.status().cap_counters);
  }

  YearCalendar calendar(std::uint8_t who, int year, core::Day today) {
    return database
        .read([&](sql::Transaction& transaction) {
          return find_calendar(transaction, account_with(who), {year}, today);
        })
        .value();
  }
  sql::Slice<LedgerEntry> ledger(std::uint8_t who, const sql::Window<std::string>& window) {
    return database
        .read([&](sql::Transaction& transaction) {
          return list_ledger(transaction, account_with(who), window);
        })
        .value();
  }
  std::vector<LedgerEntry> whole_ledger(std::uint8_t who) {
    std::vector<LedgerEntry> all;
    sql::Window<std::string> window;
    window.limit = 7;
    while (true) {
      const auto slice = ledger(who, window);
      all.insert(all.end(), slice.items.begin(), slice.items.end());
      if (!slice.more_after) return all;
      window.after = LedgerPlace{slice.items.back().time, slice.items.back().event};
    }
  }

  // Partitions of `table` that the plan touches.
  std::size_t partitions_touched(const std::string& table, std::string_view sql,
                                 const sql::Params& params = {account_with(1)}) {
    const auto plan = database.query("EXPLAIN (COSTS OFF) " + std::string(sql), params).value();
    const std::regex partition("\\bon (" + table + "_[0-9]+)\\b");
    std::set<std::string> touched;
    for (const auto& row : plan) {
      std::smatch match;
      const std::string line = row.text(0);
      if (std::regex_search(line, match, partition)) touched.insert(match[1]);
    }
    return touched.size();
  }

  ShiftedCalendar campus{8h};
  core::ManualClock clock{kStart + 24h};
  RulesInMemory rules{clock};
  EventMaker make;
  postgres::PooledDatabase database{scoring_database()};
};

TEST_F(ScoreTablesTest, WhatIsLoadedIsWhatWasFlushed) {
  const auto events = history();
  auto engine = new_engine();
  load(*engine);
  std::size_t applied = 0;
  for (const auto& event : events) {
    engine->apply(event);
    if (++applied % 50 == 0) flush(*engine);
  }
  flush(*engine);
  auto reloaded = new_engine();
  load(*reloaded);
  expect_same(*engine, *reloaded);
  // The counters go on where they stood.
  const auto before = reloaded->total(account_with(1)).points;
  reloaded->apply(make.viewed(1, kStart));
  EXPECT_EQ(reloaded->total(account_with(1)).points, before);
}

TEST_F(ScoreTablesTest, WhatWasNotFlushedIsAppliedAgainOnce) {
  const auto events = history();
  auto straight = new_engine();
  for (const auto& event : events) straight->apply(event);

  auto engine = new_engine();
  const std::size_t half = events.size() / 2;
  for (std::size_t i = 0; i < half; ++i) engine->apply(events[i]);
  flush(*engine);
  for (std::size_t i = half; i < events.size(); ++i) engine->apply(events[i]);
  engine = new_engine();
  load(*engine);
  for (std::size_t i = half; i < events.size(); ++i) engine->apply(events[i]);
  expect_same(*engine, *straight);
  flush(*engine);
  load(*engine);
  expect_same(*engine, *straight);
}

TEST_F(ScoreTablesTest, AKilledRunnerLosesAndRepeatsNothing) {
  es::InMemoryTopics topics(kLogs);
  auto straight = new_engine();
  std::map<std::string, std::uint64_t> positions;
  es::PositionVector everything;
  es::PositionVector first_half;
  const auto events = history();
  for (std::size_t i = 0; i < events.size(); ++i) {
    es::RecordedEvent event = events[i];
    event.position = core::LogPosition(++positions[event.source]);
    everything.raise(event.source, event.log, event.position);
    if (i < events.size() / 2) {
      topics.publish(event);
      first_half.raise(event.source, event.log, event.position);
    }
    straight->apply(event);
  }

  MortalDatabase mortal(database);
  {
    auto engine = new_engine(50ms);
    projections::ProjectionRunner runner(*engine,
                                         {mortal, topics.source(engine->sources()), {}, {}}, kLogs);
    std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
    ASSERT_TRUE(runner.applied().wait_for(first_half, kDeadline));
    mortal.kill();
    positions.clear();
    for (std::size_t i = 0; i < events.size(); ++i) {
      es::RecordedEvent event = events[i];
      event.position = core::LogPosition(++positions[event.source]);
      if (i >= events.size() / 2) topics.publish(event);
    }
    ASSERT_TRUE(runner.in_memory().wait_for(everything, kDeadline));
  }
  auto engine = new_engine(50ms);
  projections::ProjectionRunner runner(*engine,
                                       {database, topics.source(engine->sources()), {}, {}}, kLogs);
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  ASSERT_TRUE(runner.applied().wait_for(everything, kDeadline));
  expect_same(*engine, *straight);
  auto reloaded = new_engine();
  load(*reloaded);
  expect_same(*reloaded, *straight);
}

TEST_F(ScoreTablesTest, ARecordThatComesTwiceCountsOnce) {
  es::InMemoryTopics topics(kLogs);
  auto engine = new_engine(50ms);
  projections::ProjectionRunner runner(*engine,
                                       {database, topics.source(engine->sources()), {}, {}}, kLogs);
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  std::vector<es::RecordedEvent> events = {make.registered(1, kStart), make.signed_in(1, kStart),
                                           make.signed_in(1, kStart + 24h)};
  // Each again right after it was sent, and all of them once more at the end.
  for (const auto& event : events) {
    topics.publish(event);
    topics.publish(event);
  }
  for (const auto& event : events) topics.publish(event);
  topics.publish(make.viewed(1, kStart));
  es::PositionVector wanted;
  wanted.raise("accounts", core::LogIndex(0), core::LogPosition(4));
  ASSERT_TRUE(runner.applied().wait_for(wanted, kDeadline));
  EXPECT_EQ(engine->total(account_with(1)).points, 3 + 3 + 1);
  EXPECT_EQ(whole_ledger(1).size(), 3U);
}

// An installation that has no such table yet gets its rows from the ledger.
TEST_F(ScoreTablesTest, DaysAreWhatTheLedgerSays) {
  auto engine = new_engine();
  for (const auto& event : history()) engine->apply(event);
  flush(*engine);
  apply_deferred(*engine);
  const std::string migration = migrations().at(1).sql;
  const std::string fill = migration.substr(migration.find("INSERT INTO day_score"));
  const auto days = [&] {
    return database
        .query("SELECT account_id, day, points, reached_at FROM day_score ORDER BY 1, 2", {})
        .value();
  };
  const auto written = days();
  ASSERT_FALSE(written.empty());
  execute({"TRUNCATE day_score", "DELETE FROM ledger WHERE points = 0", fill});
  const auto filled = days();
  ASSERT_EQ(filled.size(), written.size());
  for (std::size_t i = 0; i < filled.size(); ++i) {
    for (std::size_t column = 0; column < 4; ++column) {
      EXPECT_EQ(filled[i].text(column), written[i].text(column)) << i << ", " << column;
    }
  }
}

// For a moment there may be two owners, of different logs: neither knows what the other has
// flushed.
TEST_F(ScoreTablesTest, WhatTwoOwnersFlushOfOneDayAddsUp) {
  auto one = new_engine();
  auto other = new_engine();
  load(*one);
  load(*other);
  one->apply(make.signed_in(1, kStart + 24h));
  flush(*one);

  const auto commented = make.commented(1, kStart + 24h + 1s);
  other->apply(commented);
  flush(*other);
  EXPECT_TRUE(database.query("SELECT FROM day_score", {}).value().empty()) << "it is deferred";

  load(*other);
  const std::int64_t points = other->total(account_with(1)).points;
  EXPECT_GT(points, one->total(account_with(1)).points);
  EXPECT_TRUE(database.query("SELECT FROM score", {}).value().empty()) << "a load folds nothing";
  const auto applied = database.transact([&](sql::Transaction& tx) { other->apply_deferred(tx); });
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  for (const char* table : {"day_score", "score"}) {
    const auto rows = database.query(std::string("SELECT points FROM ") + table, {}).value();
    ASSERT_EQ(rows.size(), 1U) << table;
    EXPECT_EQ(rows[0].integer(0), points) << table;
  }
}

// An older one had a table of counters, and no rows in the ledger for events without points.
TEST_F(ScoreTablesTest, CountersThatHadATableAreInTheLedger) {
  auto engine = new_engine();
  for (const auto& event : history()) engine->apply(event);
  flush(*engine);
  const std::size_t shown = whole_ledger(1).size();
  const std::string migration = migrations().at(6).sql;
  const auto begin = migration.find("INSERT INTO ledger");
  const auto end = migration.find("DROP TABLE cap_counter");
  ASSERT_LT(begin, end);
  execute(
      {"CREATE TABLE cap_counter AS SELECT account_id, day, reason, count(*) AS events FROM"
       " ledger WHERE cap IS NOT NULL GROUP BY account_id, day, reason",
       "DELETE FROM ledger WHERE points = 0"});
  auto without = new_engine();
  load(*without);
  ASSERT_LT(without->status().cap_counters, engine->status().cap_counters);
  execute({migration.substr(begin, end - begin)});
  auto reloaded = new_engine();
  load(*reloaded);
  expect_same(*reloaded, *engine);
  EXPECT_EQ(whole_ledger(1).size(), shown);
}

TEST_F(ScoreTablesTest, CapsOfLongAgoAreCountedByTheTable) {
  auto events = history();
  for (int i = 0; i < 9; ++i) {
    events.push_back(make.edited(2, kStart + std::chrono::seconds(i)));
  }
  std::shuffle(events.begin(), events.end(), std::mt19937_64(7));
  auto straight = new_engine();
  for (const auto& event : events) straight->apply(event);
  clock.advance(30 * 24h);
  auto engine = new_engine();
  load(*engine);
  std::size_t applied = 0;
  for (const auto& event : events) {
    engine->apply(event);
    if (++applied % 20 == 0) flush(*engine);
    if (applied % 100 == 0) load(*engine);
  }
  flush(*engine);
  EXPECT_EQ(engine->page({.limit = 100}).items, straight->page({.limit = 100}).items);
  EXPECT_EQ(engine->status().cap_counters, 0U);
  // Three days, each with a comment, an edit and a vote.
  EXPECT_EQ(calendar(1, 2026, core::utc_day(kStart)).history_score, 3 * (2 + 1 + 1));
  // Of nine edits of one day five counted, in whichever flushes they came.
  EXPECT_EQ(calendar(2, 2026, core::utc_day(kStart)).history_score, 3 * (2 + 1 + 1) + 5);
}

TEST_F(ScoreTablesTest, AQueryThatWaitsForTheTablesBringsAFlush) {
  es::InMemoryTopics topics(kLogs);
  auto engine = new_engine(1h);
  projections::ProjectionRunner runner(*engine,
                                       {database, topics.source(engine->sources()), {}, {}}, kLogs);
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  topics.publish(make.commented(1, kStart));
  es::PositionVector wanted;
  wanted.raise("projects", core::LogIndex(0), core::LogPosition(1));
  ASSERT_TRUE(runner.applied().wait_for(wanted, kDeadline));
  EXPECT_EQ(calendar(1, 2026, core::utc_day(kStart)).history_score, 2);
}

TEST_F(ScoreTablesTest, TheCalendarShowsDaysThatAreNotEmpty) {
  auto engine = new_engine();
  for (const char* time : {"2025-12-31T15:59:59.999999Z", "2025-12-31T16:00:00.000000Z",
                           "2026-01-30T16:00:00.000000Z", "2026-01-31T15:59:59.999999Z"}) {
    engine->apply(make.published(1, at(time)));
    flush(*engine);
  }
  const auto day = [](const char* text) { return core::parse_day(text).value(); };
  const auto january = calendar(1, 2026, day("2026-01-31"));
  ASSERT_EQ(january.months.size(), 1U);
  EXPECT_EQ(january.months[0],
            (MonthContributions{1, {DayContribution{1, 5}, DayContribution{31, 10}}}));
  EXPECT_EQ(january.history_score, 20);
  EXPECT_EQ(january.current_score, 10);                               // 2 to 31 January
  EXPECT_EQ(calendar(1, 2026, day("2026-01-30")).current_score, 5);   // 1 to 30 January
  EXPECT_EQ(calendar(1, 2026, day("2026-01-29")).current_score, 10);  // 31 December, 1 January
  EXPECT_EQ(calendar(1, 2026, day("2026-03-01")).current_score, 10);
  EXPECT_EQ(calendar(1, 2026, day("2026-03-02")).current_score, 0);
  EXPECT_EQ(calendar(1, 2025, day("2026-03-02")).months.size(), 1U);
  EXPECT_TRUE(calendar(1, 2024, day("2026-03-02")).months.empty());
  EXPECT_EQ(calendar(2, 2026, day("2026-03-02")), YearCalendar{});
}

TEST_F(ScoreTablesTest, TheLedgerAddsUpToThePoints) {
  auto events = history();
  // In an order in which the views that come after the cap are not the latest ones.
  std::reverse(events.begin(), events.end());
  auto engine = new_engine();
  for (const auto& event : events) engine->apply(event);
  flush(*engine);
  for (std::uint8_t who = 1; who <= kPeople; ++who) {
    std::int64_t sum = 0;
    for (const LedgerEntry& entry : whole_ledger(who)) {
      sum += entry.delta;
      EXPECT_NE(entry.reason, "project-edited") << "it earns no points";
    }
    EXPECT_EQ(sum, engine->total(account_with(who)).points) << int{who};
  }
  std::size_t capped = 0;
  core::Timestamp last_counted{};
  core::Timestamp first_capped = core::Timestamp::max();
  for (const LedgerEntry& entry : whole_ledger(1)) {
    if (entry.reason != "profile-viewed") continue;
    if (entry.capped) {
      ++capped;
      first_capped = std::min(first_capped, entry.time);
    } else {
      last_counted = std::max(last_counted, entry.time);
    }
  }
  EXPECT_EQ(capped, 30U);
  EXPECT_LT(last_counted, first_capped);
}

TEST_F(ScoreTablesTest, TheLedgerPagesBothWaysAndNamesItsSources) {
  auto engine = new_engine();
  for (int i = 0; i < 5; ++i) engine->apply(make.signed_in(1, kStart + std::chrono::hours(24 * i)));
  engine->apply(make.contact(1, 2, true, kStart + 1h));
  engine->apply(make.adjusted(1, 9, kStart + 2h));
  flush(*engine);
  sql::Window<std::string> window;
  window.limit = 5;
  const auto first = ledger(1, window);
  ASSERT_EQ(first.items.size(), 5U);
  EXPECT_FALSE(first.more_before);
  EXPECT_TRUE(first.more_after);
  EXPECT_EQ(first.items.back().sealed_note, "0.why") << "an older event has it in clear";
  window.after = LedgerPlace{first.items.back().time, first.items.back().event};
  const auto second = ledger(1, window);
  ASSERT_EQ(second.items.size(), 2U);
  EXPECT_EQ(second.items.front().person, account_with(2));
  EXPECT_EQ(second.items.front().event, "social-graph/0/6");
  window.after.reset();
  window.before = LedgerPlace{second.items.front().time, second.items.front().event};
  EXPECT_EQ(ledger(1, window).items.front().event, first.items.front().event);
}

TEST_F(ScoreTablesTest, EachQueryTouchesOnePartition) {
  const sql::Params calendar{account_with(1), 2026, 1, 12, 2026, 2, 2026, 3};
  EXPECT_EQ(partitions_touched("calendar", kFindCalendarSql, calendar), 1U);
  EXPECT_EQ(partitions_touched("score", "SELECT points FROM score WHERE account_id = $1::uuid"),
            1U);
  EXPECT_EQ(partitions_touched("ledger", kListLedgerSql), 1U);
  // The check sees a plan that touches all.
  EXPECT_EQ(partitions_touched("score", "SELECT points FROM score WHERE account_id > $1::uuid"),
            16U);
}

}  // namespace
}  // namespace tideline::scoring
