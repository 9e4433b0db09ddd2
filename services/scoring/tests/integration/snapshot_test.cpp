// Snapshots of a real PostgreSQL: a start from one is a start from the tables, whatever was flushed
// since, while others flush, and with whatever a kill has left behind.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "crypto/tests/temporary_folder.hpp"
#include "postgres/tests/integration/killed_program.hpp"
#include "scoring/projections/snapshot/snapshot_take.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/integration/scoring_database.hpp"
#include "scoring/tests/same_scores.hpp"

namespace tideline::scoring {
namespace {

using namespace std::chrono_literals;
namespace es = eventsourcing;
namespace fs = std::filesystem;

constexpr std::uint8_t kPeople = 8;
constexpr std::size_t kKept = 2;
constexpr const char* kChildFolder = "TIDELINE_TEST_SNAPSHOT_FOLDER";
constexpr const char* kChildDatabase = "TIDELINE_TEST_SNAPSHOT_DATABASE";
const core::Timestamp kStart = at("2026-03-30T10:00:00.000000Z");

core::Result<fs::path> take(sql::Database& database, const SnapshotFolder& folder,
                            core::Timestamp now) {
  const auto lock = folder.lock();
  if (!lock) return lock.error();
  return take_snapshot(database, folder, {now, core::utc_day(now)}, kKept);
}

// Not a test of its own: what a child does until it is killed.
TEST(SnapshotChild, TakesOneAfterTheOther) {
  const char* folder = std::getenv(kChildFolder);
  if (folder == nullptr) GTEST_SKIP() << "run by another test, in a process of its own";
  postgres::DatabaseOptions options;
  options.conninfo = std::getenv(kChildDatabase);
  postgres::PooledDatabase database(options);
  const core::SystemClock clock;
  while (take(database, SnapshotFolder(folder), clock.now()).ok()) {
  }
  std::_Exit(1);
}

// Points of each person less those of all his days: nothing, if all days are in the file and both
// tables were read as they were at one moment.
class Differences final : public SnapshotVisitor {
 public:
  void people(std::span<const PersonRow> rows) override {
    for (const PersonRow& row : rows) of_person.push_back(row.points);
  }
  void days(std::span<const DayRow> rows) override {
    for (const DayRow& row : rows) of_person.at(row.person) -= row.points;
  }

  std::vector<std::int64_t> of_person;
};

// On a busy machine a snapshot beside a flush holds its rows for longer than requests wait.
postgres::DatabaseOptions patient(postgres::DatabaseOptions options) {
  options.lock_timeout = std::chrono::minutes(1);
  return options;
}

class SnapshotTest : public ::testing::Test {
 protected:
  // Loaded from the newest snapshot that can be used, or else from the tables; or from these alone.
  std::unique_ptr<ScoreEngine> new_engine(bool with_snapshots) {
    EngineOptions made;
    if (with_snapshots) {
      made.snapshots = folder;
      made.tell_load = [this](const auto&, const core::Result<Restored>& restored) {
        changed = restored ? restored->changed : 0;
        refused = restored ? "" : restored.error().message;
      };
    }
    return std::make_unique<ScoreEngine>(rules.kept, campus, clock, made);
  }
  void load(ScoreEngine& engine) {
    const auto loaded = database.transact([&](sql::Transaction& tx) { engine.load(tx); });
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  }
  void flush(ScoreEngine& engine) {
    ASSERT_EQ(engine.prepare_flush().state, es::Preparation::State::Done);
    const auto flushed = database.transact([&](sql::Transaction& tx) { engine.flush(tx); });
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
    engine.flushed();
  }
  void take_one() {
    const auto taken = take(database, folder, clock.now());
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    clock.advance(1us);
  }
  void execute(const std::vector<std::string>& statements) {
    const auto done = database.transact([&](sql::Transaction& tx) {
      for (const std::string& sql : statements) tx.execute(sql);
    });
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  std::int64_t number(const std::string& sql) { return database.query(sql, {})->at(0).integer(0); }

  // Both ways while nobody flushes, so that nothing can come between.
  void expect_the_same(bool from_snapshot) {
    const auto restored = new_engine(true);
    const auto loaded = new_engine(false);
    const auto done = database.transact([&](sql::Transaction& tx) {
      tx.execute("LOCK TABLE score_flush IN EXCLUSIVE MODE");
      restored->load(tx);
      loaded->load(tx);
    });
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(restored->status().load.from_snapshot, from_snapshot) << refused;
    EXPECT_EQ(difference(*restored, *loaded, kPeople,
                         days_from(core::utc_day(kStart) - std::chrono::days(2), 8)),
              "");
  }

  std::vector<es::RecordedEvent> history() {
    std::vector<es::RecordedEvent> events;
    for (std::uint8_t who = 1; who <= kPeople; ++who) {
      const auto other = static_cast<std::uint8_t>(who % kPeople + 1);
      events.push_back(make.registered(who, kStart));
      for (int day = -1; day < 3; ++day) {
        const auto time = kStart + day * 24h + std::chrono::minutes(who);
        events.push_back(make.signed_in(who, time));
        events.push_back(make.commented(who, time + 1s));
        events.push_back(make.edited(who, time + 2s));
        events.push_back(make.voted(who, other, true, time + 3s));
      }
      events.push_back(make.adjusted(who, who % 2 == 0 ? -40 : 2'000'000, kStart + 4s));
    }
    for (int i = 0; i < 130; ++i)
      events.push_back(make.viewed(1, kStart + std::chrono::minutes(i)));
    events.push_back(make.closed(3, kStart + 5h));
    // Somebody of whom there is nothing but a counter.
    events.push_back(make.edited(kPeople + 1, kStart));
    return events;
  }
  // Everything is in the tables, and a snapshot of it there.
  void begin() {
    auto engine = new_engine(false);
    load(*engine);
    for (const auto& event : history()) engine->apply(event);
    flush(*engine);
    take_one();
  }

  const core::UtcCalendar campus;
  core::ManualClock clock{kStart + 24h};
  RulesInMemory rules{clock};
  EventMaker make;
  const postgres::DatabaseOptions options = patient(scoring_database());
  postgres::PooledDatabase database{options};
  const crypto::TemporaryFolder place;
  const SnapshotFolder folder{place.path()};
  std::size_t changed = 0;
  std::string refused;
};

TEST_F(SnapshotTest, AStartFromOneIsAStartFromTheTables) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto events = history();
  std::shuffle(events.begin(), events.end(), random);
  auto engine = new_engine(true);
  load(*engine);
  EXPECT_FALSE(engine->status().load.from_snapshot);
  std::size_t snapshots = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    engine->apply(events[i]);
    if (random() % 20 == 0) flush(*engine);
    if (random() % 40 == 0) {
      take_one();
      ++snapshots;
    }
    if (random() % 60 == 0) expect_the_same(snapshots > 0);
  }
  flush(*engine);
  take_one();
  expect_the_same(true);
  EXPECT_EQ(changed, 0U);
  engine = new_engine(true);
  load(*engine);
  engine->apply(make.viewed(1, kStart));
  engine->apply(make.viewed(2, kStart));
  flush(*engine);
  expect_the_same(true);
  EXPECT_EQ(changed, 2U);
  EXPECT_EQ(folder.files().size(), kKept);
}

TEST_F(SnapshotTest, WhatIsTakenWhileOthersFlushIsOneState) {
  begin();
  std::jthread others([&](const std::stop_token& stop) {
    const auto engine = new_engine(false);
    load(*engine);
    while (!stop.stop_requested()) {
      for (std::uint8_t who = 1; who <= kPeople; ++who)
        engine->apply(make.voted(who, who, true, kStart));
      flush(*engine);
    }
  });
  const auto before = number("SELECT max(number) FROM score_flush");
  for (int i = 0; i < 20; ++i) {
    take_one();
    expect_the_same(true);
    auto reader = SnapshotReader::open(folder.files().front());
    ASSERT_TRUE(reader.ok());
    Differences differences;
    ASSERT_TRUE(reader->read(differences).ok());
    for (const std::int64_t difference : differences.of_person) EXPECT_EQ(difference, 0);
  }
  EXPECT_GT(number("SELECT max(number) FROM score_flush"), before);
}

TEST_F(SnapshotTest, AKillInTheMiddleLeavesNothingThatIsBelieved) {
  // As the child sees it.
  clock.advance(core::SystemClock().now() - clock.now());
  begin();
  execute(
      {"INSERT INTO score SELECT gen_random_uuid(), i % 1000, now(), 1"
       " FROM generate_series(1, 100000) AS i"});
  take_one();
  ASSERT_EQ(setenv(kChildFolder, place.path().c_str(), 1), 0);
  ASSERT_EQ(setenv(kChildDatabase, options.conninfo.c_str(), 1), 0);
  // Of what is being written just now; 0: nothing is.
  const auto part_bytes = [&] {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(place.path())) {
      if (entry.path().extension() != ".part") continue;
      if (const auto bytes = fs::file_size(entry.path(), gone); !gone) return bytes;
    }
    return std::uintmax_t{0};
  };
  int in_the_middle = 0;
  for (int kills = 0; kills < 100 && in_the_middle < 4; ++kills) {
    // At its beginning, and when a part of the rows is there.
    const std::uintmax_t wanted = kills % 2 == 0 ? 1 : 1'000'000;
    {
      postgres::testing::KilledProgram child(
          {"/proc/self/exe", "--gtest_filter=SnapshotChild.TakesOneAfterTheOther"});
      ASSERT_TRUE(postgres::testing::eventually([&] { return part_bytes() >= wanted; }));
      child.kill();
    }
    in_the_middle += part_bytes() > 0 ? 1 : 0;
    for (const fs::path& file : folder.files()) {
      auto reader = SnapshotReader::open(file);
      ASSERT_TRUE(reader.ok()) << file;
      SnapshotVisitor nobody;
      EXPECT_TRUE(reader->read(nobody).ok()) << file;
    }
    expect_the_same(true);
  }
  unsetenv(kChildFolder);
  EXPECT_EQ(in_the_middle, 4) << "hardly any kill came in the middle";
  clock.advance(core::SystemClock().now() - clock.now());
  take_one();
  EXPECT_EQ(part_bytes(), 0U);
  expect_the_same(true);
}

TEST_F(SnapshotTest, ADatabaseThatWasPutBackIsReadFromItsTables) {
  begin();
  expect_the_same(true);
  auto engine = new_engine(false);
  const auto applied = database.transact([&](sql::Transaction& tx) { engine->apply_deferred(tx); });
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  // The last flush is lost with an older copy, and another one comes in its place.
  execute({"DELETE FROM score_flush WHERE number = (SELECT max(number) FROM score_flush)"});
  load(*engine);
  engine->apply(make.signed_in(1, kStart));
  flush(*engine);
  expect_the_same(false);
  take_one();
  expect_the_same(true);
}

TEST_F(SnapshotTest, ExchangedTablesAreReadAnew) {
  begin();
  execute({"CREATE TABLE rebuilt (LIKE score INCLUDING ALL)",
           "INSERT INTO rebuilt SELECT account_id, points + 1, reached_at, standing FROM score",
           "DROP TABLE score", "ALTER TABLE rebuilt RENAME TO score"});
  expect_the_same(false);
  take_one();
  expect_the_same(true);
}

TEST_F(SnapshotTest, ACopyThatIsBuiltKeepsNoLog) {
  begin();
  const std::string live = database.query("SELECT current_schema()", {})->at(0).text(0);
  const std::vector<postgres::MigrationSet> sets = {{"scoring", migrations()}};
  const auto made = postgres::migrate_into_schema(options, "rebuild_scores", "a copy", sets);
  ASSERT_TRUE(made.ok()) << made.error().message;
  execute({"DROP TABLE rebuild_scores.score_flush"});
  const auto flushes = number("SELECT count(*) FROM score_flush");
  auto engine = new_engine(true);
  const auto built = database.transact([&](sql::Transaction& tx) {
    tx.execute("SET LOCAL search_path = rebuild_scores, " + live);
    engine->load(tx);
    for (const auto& event : history()) engine->apply(event);
    scoring::flush(*engine, tx);
  });
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_FALSE(engine->status().load.from_snapshot) << "it began with what the other tables hold";
  EXPECT_GT(number("SELECT count(*) FROM rebuild_scores.score"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM rebuild_scores.score_delta"), 0) << "nobody else folds";
  EXPECT_EQ(number("SELECT count(*) FROM score_flush"), flushes);
  expect_the_same(true);
}

TEST_F(SnapshotTest, TheLogOfFlushesIsBounded) {
  begin();
  execute(
      {"INSERT INTO score_flush (number, accounts) SELECT i, '{}' FROM generate_series(2, 10050) "
       "AS "
       "i"});
  auto engine = new_engine(false);
  load(*engine);
  engine->apply(make.signed_in(1, kStart));
  flush(*engine);
  EXPECT_EQ(number("SELECT max(number) FROM score_flush"), 10'051);
  EXPECT_EQ(number("SELECT min(number) FROM score_flush"), 51);
  expect_the_same(false);
}

TEST_F(SnapshotTest, AwardsAreWhatTheLedgerSays) {
  begin();
  const auto all = migrations();
  const auto mine = std::find_if(all.begin(), all.end(), [](const postgres::Migration& one) {
    return std::string(one.sql).find("INSERT INTO award_day") != std::string::npos;
  });
  ASSERT_NE(mine, all.end());
  const std::string sql = mine->sql;
  const auto awards = [&] {
    std::string text;
    for (const auto& row :
         *database.query("SELECT award_day::text FROM award_day ORDER BY 1", {})) {
      text += row.text(0) + "\n";
    }
    return text;
  };
  const std::string written = awards();
  EXPECT_NE(written.find("(2026-03-30,profile-viewed,130,100)"), std::string::npos) << written;
  execute({"TRUNCATE award_day"});
  // An installation without that table had no rows for what has a cap and no points.
  execute({"DELETE FROM ledger WHERE points = 0"});
  execute({sql.substr(sql.find("INSERT INTO award_day"))});
  EXPECT_EQ(awards(), written);
}

}  // namespace
}  // namespace tideline::scoring
