// A start from a snapshot is a start from the tables, whenever the snapshot was taken and whatever
// was flushed since; and statistics of it are those of a plain recomputation. rapidcheck prints the
// seed of a failure; RC_PARAMS="seed=..." runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "core/check.hpp"
#include "crypto/tests/temporary_folder.hpp"
#include "scoring/projections/snapshot/snapshot_take.hpp"
#include "scoring/projections/snapshot/statistics.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/recomputation.hpp"
#include "scoring/tests/same_scores.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

// Days on which the histories have events, with those of wrong clocks.
std::vector<core::Day> days_of_histories() {
  const core::Day first = core::utc_day(kHistoryBegins);
  std::vector<core::Day> days = days_from(first - std::chrono::days(2), 12);
  for (const int away : {-800, 40, 2'000}) {
    const auto more = days_from(first + std::chrono::days(away), 6);
    days.insert(days.end(), more.begin(), more.end());
  }
  return days;
}

class Installation {
 public:
  explicit Installation(core::Timestamp now) : clock(now) {}

  std::unique_ptr<ScoreEngine> new_engine(bool with_snapshots) {
    EngineOptions options{.band_members = 3};
    if (with_snapshots) {
      options.snapshots = folder;
      options.tell_load = [this](const auto&, const core::Result<Restored>& restored) {
        refused = restored ? "" : restored.error().message;
      };
    }
    auto engine = std::make_unique<ScoreEngine>(rules.kept, campus, clock, options);
    engine->load(tables);
    return engine;
  }
  std::filesystem::path take_snapshot() {
    const SnapshotMoment moment{clock.now() + std::chrono::microseconds(++taken),
                                campus.day_of(clock.now())};
    const auto file = folder.file_of(moment.now);
    SnapshotWriter writer(file, origin_of_tables(tables, moment));
    write_tables(tables, moment.today, writer);
    CHECK(writer.finish().ok(), "a snapshot can be written");
    return file;
  }

  const crypto::TemporaryFolder place;
  const SnapshotFolder folder{place.path()};
  const ShiftedCalendar campus{std::chrono::hours(kHoursAhead)};
  core::ManualClock clock;
  RulesInMemory rules{clock};
  TablesForTests tables;
  std::string refused;
  int taken = 0;
};

RC_GTEST_PROP(SnapshotLaw, AStartFromASnapshotIsAStartFromTheTables, ()) {
  Installation here(any_now());
  EventMaker make;
  auto events = any_history(make);
  shuffle(events);
  auto engine = here.new_engine(false);
  std::size_t next = 0;
  while (next < events.size()) {
    const auto step = static_cast<std::size_t>(full_range(1, 60));
    for (std::size_t i = 0; i < step && next < events.size(); ++i) engine->apply(events[next++]);
    flush(*engine, here.tables);
    here.clock.advance(std::chrono::hours(full_range(0, 40)));
    if (full_range(0, 3) == 0) here.take_snapshot();
    if (full_range(0, 2) != 0) continue;
    const auto restored = here.new_engine(true);
    const auto loaded = here.new_engine(false);
    RC_ASSERT(restored->status().load.from_snapshot == !here.folder.files().empty());
    RC_ASSERT(here.refused.empty());
    RC_ASSERT(difference(*restored, *loaded, kPeople, days_of_histories()) == "");
    // The counters of the caps go on alike.
    for (std::uint8_t who = 1; who <= kPeople; ++who) {
      const auto more = make.viewed(who, here.clock.now());
      restored->apply(more);
      loaded->apply(more);
    }
    RC_ASSERT(difference(*restored, *loaded, kPeople, days_of_histories()) == "");
    engine = here.new_engine(full_range(0, 2) == 0);
  }
}

RC_GTEST_PROP(SnapshotLaw, StatisticsAreThoseOfAPlainRecomputation, ()) {
  Installation here(any_now());
  EventMaker make;
  auto events = any_history(make);
  Expected expected = recompute(events);
  // By day and reason, over all people: the first of a day up to its cap, in whatever order.
  std::map<std::pair<std::int64_t, Reason>, AwardCount> awards;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::int64_t> of_person;
  std::set<std::string> closed;
  for (const auto& event : events) {
    if (event.type == "AccountClosed") {
      closed.insert(nlohmann::json::parse(event.data).at("account_id").get<std::string>());
    }
    for (const Happening& one : happenings(event, first_rules_of)) {
      if (one.points == 0) continue;
      AwardCount& count = awards[{one.day(), reason_named(one.reason).value()}];
      ++count.events;
      const std::int64_t before = of_person[{one.earner, one.reason, one.day()}]++;
      if (one.cap == 0 || before < one.cap) count.points += one.points;
    }
  }

  shuffle(events);
  auto engine = here.new_engine(false);
  for (std::size_t i = 0; i < events.size(); ++i) {
    engine->apply(events[i]);
    if (full_range(0, 40) != 0 && i + 1 < events.size()) continue;
    flush(*engine, here.tables);
  }
  const auto found = statistics_of(here.take_snapshot(), Levels::standard());
  RC_ASSERT(found.ok());

  const std::int64_t today = here.campus.day_of(here.clock.now()).time_since_epoch().count();
  RC_ASSERT(found->day.time_since_epoch().count() == today);
  RC_ASSERT(found->members == expected.members.size());
  std::array<std::uint64_t, kScoreClasses.size() + 1> scores{};
  std::vector<std::uint64_t> levels(11);
  for (const std::string& member : expected.members) {
    const std::int64_t points = expected.points[member];
    std::size_t score_class = 0;
    while (score_class < kScoreClasses.size() && points >= kScoreClasses.at(score_class)) {
      ++score_class;
    }
    ++scores.at(score_class);
    std::size_t level = 0;
    for (const std::int64_t from :
         {0, 50, 150, 400, 1'000, 2'500, 6'000, 15'000, 40'000, 100'000}) {
      if (points >= from) ++level;
    }
    ++levels.at(level);
  }
  RC_ASSERT(found->scores == scores);
  RC_ASSERT(found->levels == levels);

  std::map<core::Day, std::map<Reason, AwardCount>, std::greater<>> shown;
  for (const auto& [key, count] : awards) {
    if (key.first > today || key.first <= today - 30) continue;
    shown[core::Day(std::chrono::days(key.first))][key.second] = count;
  }
  RC_ASSERT(found->awards == shown);

  std::map<std::int64_t, std::set<std::string>> active;
  for (const auto& [person, days] : expected.days) {
    if (closed.contains(person)) continue;
    for (const auto& [day, earned] : days) active[day].insert(person);
  }
  std::set<std::string> week;
  std::set<std::string> month;
  std::map<core::Day, std::uint64_t, std::greater<>> by_day;
  for (const auto& [day, people] : active) {
    if (day > today || day <= today - 30) continue;
    by_day[core::Day(std::chrono::days(day))] = people.size();
    month.insert(people.begin(), people.end());
    if (day > today - 7) week.insert(people.begin(), people.end());
  }
  RC_ASSERT(found->active_by_day == by_day);
  RC_ASSERT(found->active_on_day == active[today].size());
  RC_ASSERT(found->active_in_week == week.size());
  RC_ASSERT(found->active_in_month == month.size());
}

// Each of these days ends or begins what is counted of it.
TEST(SnapshotStatistics, AWeekHasSevenDaysAndAMonthThirty) {
  Installation here(kHistoryBegins);
  EventMaker make;
  auto engine = here.new_engine(false);
  std::uint8_t who = 0;
  for (const int days_ago : {0, 6, 7, 29, 30}) {
    engine->apply(make.signed_in(++who, kHistoryBegins - std::chrono::days(days_ago)));
  }
  flush(*engine, here.tables);
  const auto found = statistics_of(here.take_snapshot(), Levels::standard());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->active_on_day, 1U);
  EXPECT_EQ(found->active_in_week, 2U);
  EXPECT_EQ(found->active_in_month, 4U);
  EXPECT_EQ(found->active_by_day.size(), 4U);
  EXPECT_EQ(found->awards.size(), 4U);
}

class SnapshotRefused : public ::testing::Test {
 protected:
  void SetUp() override {
    auto engine = here.new_engine(false);
    for (std::uint8_t who = 1; who <= kPeople; ++who) {
      engine->apply(make.registered(who, kHistoryBegins));
      engine->apply(make.signed_in(who, kHistoryBegins));
    }
    flush(*engine, here.tables);
    here.take_snapshot();
  }
  // It is not used, and nothing is missing by that.
  void expect_refused(const std::string& why) {
    const auto engine = here.new_engine(true);
    EXPECT_NE(here.refused.find(why), std::string::npos) << here.refused;
    EXPECT_FALSE(engine->status().load.from_snapshot);
    EXPECT_EQ(difference(*engine, *here.new_engine(false), kPeople, days_of_histories()), "");
  }

  Installation here{kHistoryBegins};
  EventMaker make;
};

TEST_F(SnapshotRefused, NotByTheTablesThatItIsOf) {
  const auto engine = here.new_engine(true);
  EXPECT_TRUE(engine->status().load.from_snapshot);
  EXPECT_EQ(here.refused, "");
  EXPECT_EQ(engine->total(account_with(1)).points, 3);
}

TEST_F(SnapshotRefused, WhenTheLogOfFlushesDoesNotReachBackToIt) {
  here.tables.flushes.resize(1);
  expect_refused("not of these tables");
}

TEST_F(SnapshotRefused, WhenItIsOfADayToCome) {
  here.clock.advance(-std::chrono::hours(30));
  expect_refused("a day to come");
}

TEST_F(SnapshotRefused, WhenItIsDamagedAndTheOneBeforeIsUsed) {
  here.take_snapshot();
  const auto files = here.folder.files();
  ASSERT_EQ(files.size(), 2U);
  std::filesystem::resize_file(files[0], std::filesystem::file_size(files[0]) - 1);
  const auto engine = here.new_engine(true);
  EXPECT_TRUE(engine->status().load.from_snapshot);
  std::filesystem::resize_file(files[1], 100);
  expect_refused("not a whole snapshot");
}

TEST_F(SnapshotRefused, WhenMoreHasChangedThanIsWorthReading) {
  for (int flush = 0; flush < 10'000 / kPeople + 1; ++flush) {
    std::set<std::string> accounts;
    for (std::uint8_t who = 1; who <= kPeople; ++who) accounts.insert(account_with(who).to_uuid());
    here.tables.flushes.push_back(accounts);
  }
  expect_refused("the shorter way");
}

}  // namespace
}  // namespace tideline::scoring
