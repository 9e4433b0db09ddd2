// What users of other leaderboards add_error about, each as a test.

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <map>
#include <set>

#include "core/time_ordered_id.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/projections/engine/score_memory.hpp"
#include "scoring/stored_events.hpp"
#include "scoring/tests/engine_for_tests.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/plain_members.hpp"
#include "scoring/tests/tables_for_tests.hpp"

namespace tideline::scoring {
namespace {

const core::Timestamp kNoon = at("2026-03-10T12:00:00.000000Z");
const core::Day kToday = core::parse_day("2026-03-10").value();

core::AccountId numbered(std::uint32_t number) {
  core::AccountId::Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes.at(i) = static_cast<std::uint8_t>(number >> (8 * i));
  return core::AccountId(bytes);
}

std::vector<RankedEntry> all_pages(const ScoreEngine& engine, std::size_t limit) {
  std::vector<RankedEntry> all;
  BoardWindow window{.limit = limit};
  while (true) {
    const BoardPage page = engine.page(window);
    all.insert(all.end(), page.items.begin(), page.items.end());
    if (!page.more_after) return all;
    window.after = page.items.back().entry;
  }
}

class ComplaintsTest : public ::testing::Test {
 protected:
  ShiftedCalendar campus{std::chrono::hours(8)};
  core::ManualClock clock{kNoon};
  RulesInMemory rules{clock};
  ScoreEngine engine{rules.kept, campus, clock, {.band_members = 4}};
  EventMaker make;
  TablesForTests tables;
};

TEST_F(ComplaintsTest, NobodyIsListedTwiceAfterALoad) {
  for (std::uint8_t who = 1; who <= 30; ++who) {
    engine.apply(make.registered(who, kNoon));
    engine.apply(make.signed_in(who, kNoon));
  }
  flush(engine, tables);
  for (int times = 0; times < 3; ++times) {
    engine.load(tables);
    const BoardName today{.period = {{Span::Day, kToday}}};
    for (const BoardName& board : {BoardName{}, today}) {
      std::set<core::AccountId> seen;
      const auto page = engine.page({.limit = 100}, board);
      for (const RankedEntry& one : page.items) seen.insert(one.entry.account);
      EXPECT_EQ(page.items.size(), 30U);
      EXPECT_EQ(seen.size(), 30U);
      EXPECT_EQ(engine.total(account_with(1), board).points, 3);
    }
  }
}

TEST_F(ComplaintsTest, AddingNothingChangesNothing) {
  for (std::uint8_t who = 1; who <= 2; ++who) engine.apply(make.registered(who, kNoon));
  engine.apply(make.signed_in(1, kNoon));
  engine.apply(make.signed_in(2, kNoon + std::chrono::seconds(1)));
  const auto before = engine.page({}).items;
  // Later than either, so that a change of the time alone would reorder them.
  engine.apply(make.adjusted(1, 0, kNoon + std::chrono::hours(1)));
  engine.apply(make.edited(1, kNoon + std::chrono::hours(2)));
  EXPECT_EQ(engine.page({}).items, before);
}

TEST_F(ComplaintsTest, WhoLeavesAndComesBackIsThereOnce) {
  engine.apply(make.registered(1, kNoon));
  engine.apply(make.registered(2, kNoon));
  engine.apply(make.signed_in(1, kNoon));
  for (const char* department : {"law", "", "physics", "law"}) {
    engine.set_department(account_with(1), department);
  }
  const BoardName law{.department = "law"};
  EXPECT_EQ(engine.page({}, law).items.size(), 1U);
  EXPECT_EQ(engine.total(account_with(1), law).points, 3);
  EXPECT_TRUE(engine.page({}, {.department = "physics"}).items.empty());
  // A closed account stays away, whatever comes after.
  engine.apply(make.closed(1, kNoon));
  engine.apply(make.registered(1, kNoon));
  engine.apply(make.signed_in(1, kNoon + std::chrono::hours(24)));
  EXPECT_TRUE(engine.page({}, law).items.empty());
  EXPECT_EQ(engine.page({}).items.size(), 1U);
  EXPECT_TRUE(engine.page({}, {.period = {{Span::Day, kToday}}}).items.empty());
}

TEST_F(ComplaintsTest, NothingIsAScoreThatHasARank) {
  for (std::uint8_t who = 1; who <= 3; ++who) engine.apply(make.registered(who, kNoon));
  engine.apply(make.signed_in(3, kNoon));
  engine.apply(make.adjusted(3, -3, kNoon));
  for (std::uint8_t who = 1; who <= 3; ++who) {
    EXPECT_EQ(engine.total(account_with(who)).rank, 1U) << int{who};
  }
  // Who earned nothing today is not on the board of today; who earned and lost it is, with nothing.
  const auto today = engine.page({}, {.period = {{Span::Day, kToday}}}).items;
  ASSERT_EQ(today.size(), 1U);
  EXPECT_EQ(today.front().rank, 1U);
  EXPECT_EQ(today.front().entry.points, 0);
}

TEST_F(ComplaintsTest, NobodyIsOnTwoPagesAndNobodyOnNone) {
  constexpr std::uint8_t kPeople = 60;
  for (std::uint8_t who = 1; who <= kPeople; ++who) {
    engine.apply(make.registered(who, kNoon));
    engine.apply(make.adjusted(who, who % 5, kNoon));
  }
  for (const std::size_t limit : {1U, 2U, 7U, 59U, 60U, 61U}) {
    std::set<core::AccountId> seen;
    const auto all = all_pages(engine, limit);
    for (const RankedEntry& one : all) seen.insert(one.entry.account);
    EXPECT_EQ(all.size(), kPeople) << limit;
    EXPECT_EQ(seen.size(), kPeople) << limit;
  }
  // Also while somebody else goes up and down between the pages.
  std::map<core::AccountId, int> times_seen;
  BoardWindow window{.limit = 7};
  for (int turn = 0;; ++turn) {
    const BoardPage page = engine.page(window);
    for (const RankedEntry& one : page.items) ++times_seen[one.entry.account];
    if (!page.more_after) break;
    window.after = page.items.back().entry;
    engine.apply(make.adjusted(1, turn % 2 == 0 ? 100 : -100, kNoon));
  }
  times_seen.erase(account_with(1));
  EXPECT_EQ(times_seen.size(), kPeople - 1U);
  for (const auto& [account, times] : times_seen) EXPECT_EQ(times, 1) << account.to_string();
}

TEST_F(ComplaintsTest, AWrongClockOfOneProducerTakesNoBoardAway) {
  for (std::uint8_t who = 1; who <= 3; ++who) engine.apply(make.registered(who, kNoon));
  engine.apply(make.signed_in(1, kNoon));
  const core::Timestamp ahead = kNoon + std::chrono::days(1'500);
  engine.apply(make.signed_in(2, ahead));
  engine.apply(make.signed_in(3, kNoon));
  const auto listed = [&](Span span, core::Day day) {
    return engine.page({}, {.period = {{span, day}}}).items.size();
  };
  for (int round = 0; round < 2; ++round) {
    for (const Span span : kSpans) {
      EXPECT_EQ(listed(span, kToday), 2U) << "who earned today";
      EXPECT_EQ(listed(span, campus.day_of(ahead)), 1U) << "who will have earned then";
    }
    flush(engine, tables);
    engine.load(tables);
  }
}

// The client that never saw its answer asks again, under the key that it gave the request.
TEST_F(ComplaintsTest, ARetryCountsOnce) {
  engine.apply(make.registered(1, kNoon));
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher(keys, clock);
  eventsourcing::CommandContext context;
  context.now = kNoon;
  context.idempotency = {"operator", "POST adjustments", "key", "body"};
  for (int times = 0; times < 3; ++times) {
    const auto stream = keys::adjustment(core::make_time_ordered_id(kNoon, rules.random));
    const auto done = eventsourcing::run_command(
        rules.store, context,
        [&](eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
          eventsourcing::change<Adjustment>(
              session, stream, eventsourcing::EventCodec<Adjustment>(cipher),
              AdjustPoints{account_with(1), 7, "prize", account_with(2)});
          return eventsourcing::Answer{201, "", "", stream};
        });
    ASSERT_TRUE(done.ok() && std::holds_alternative<eventsourcing::CommandDone>(*done));
  }
  for (std::uint32_t log = 0; log < rules.store.logs(); ++log) {
    const auto events = rules.store.read_log(core::LogIndex(log), core::LogPosition(0), 100);
    for (const auto& event : events.value()) engine.apply(event);
  }
  EXPECT_EQ(engine.total(account_with(1)).points, 7);
}

TEST(TiedTest, TwelveThousandWithOneScoreAreListedFromTheBand) {
  constexpr std::uint32_t kTied = 12'000;
  PlainMembers members;
  RankBoard board(20'000, members);
  for (std::uint32_t i = 0; i < kTied; ++i) {
    members.put(i, BoardEntry{500, kNoon + std::chrono::seconds(kTied - i), numbered(i)});
  }
  board.rebuild();
  members.scans = 0;
  const std::uint64_t cells_before = board.cells_touched();
  const auto start = std::chrono::steady_clock::now();
  const auto listed = board.after(std::nullopt, kTied);
  const auto took = std::chrono::steady_clock::now() - start;
  std::cout << "12,000 tied listed in " << std::chrono::duration<double, std::micro>(took).count()
            << " us\n";
  ASSERT_EQ(listed.size(), kTied);
  EXPECT_EQ(listed.front().account, numbered(kTied - 1));
  EXPECT_EQ(board.rank_of(500), 1U);
  EXPECT_EQ(members.scans, 0U) << "the list came from a scan of everybody";
  EXPECT_EQ(board.cells_touched(), cells_before);
  // One of them who earns 3 touches 3 cells and no entry of the list, however many are tied.
  const std::uint64_t settled_before = board.entries_settled();
  const BoardEntry higher{503, kNoon, numbered(5)};
  board.change(5, members.put(5, higher), higher);
  EXPECT_EQ(board.cells_touched(), cells_before + 3);
  EXPECT_EQ(board.entries_settled(), settled_before);
  EXPECT_EQ(members.scans, 0U);
}

TEST(TiedTest, AListIsPutInOrderOnlyAfterManyChanges) {
  constexpr std::uint32_t kTied = 12'000;
  PlainMembers members;
  RankBoard board(20'000, members);
  const auto change = [&](std::uint32_t who, const BoardEntry& entry) {
    board.change(who, members.put(who, entry), entry);
  };
  for (std::uint32_t i = 0; i < kTied; ++i) {
    change(i, {500, kNoon + std::chrono::seconds(i), numbered(i)});
  }
  EXPECT_EQ(board.entries_settled(), 0U) << "times that rise need no order";
  // To and fro, each time later: there is no more to put in order than a few times the changes.
  for (std::uint32_t i = 0; i < 10 * kTied; ++i) {
    const std::int64_t points = members.entries.at(i % kTied).points == 500 ? 501 : 500;
    change(i % kTied, {points, kNoon + std::chrono::seconds(kTied + i), numbered(i % kTied)});
  }
  EXPECT_LE(board.entries_settled(), 40 * kTied);
  EXPECT_EQ(board.after(std::nullopt, kTied), members.sorted());
  // The same with times that fall: each belongs at the head of its list. An order that were kept
  // after each change would pass over 6,000 on the average.
  const std::uint64_t before = board.entries_settled();
  for (std::uint32_t i = 0; i < kTied; ++i) {
    change(i, {700, kNoon - std::chrono::seconds(i), numbered(i)});
  }
  EXPECT_LE(board.entries_settled() - before, 100 * kTied);
  EXPECT_EQ(board.after(std::nullopt, kTied), members.sorted());
}

// On each of ten scores one of them stays.
TEST(TiedTest, ACrowdThatHasPassedKeepsNoMemory) {
  constexpr std::uint32_t kCrowd = 10'000;
  PlainMembers members;
  RankBoard board(2 * kCrowd, members);
  const auto change = [&](std::uint32_t number, std::int64_t points) {
    const BoardEntry entry{points, kNoon + std::chrono::seconds(points), numbered(number)};
    board.change(number, members.put(number, entry), entry);
  };
  for (std::uint32_t i = 0; i < kCrowd; ++i) change(i, 500);
  const std::size_t alone = board.bytes();
  for (std::uint32_t score = 1; score <= 10; ++score) {
    for (std::uint32_t i = score; i < kCrowd; ++i) change(i, 500 + score);
  }
  EXPECT_LE(board.bytes(), alone + alone / 2);
}

TEST(DeepTest, AListBelowTheBandVisitsOnlyTheScoresItNeeds) {
  constexpr std::uint32_t kMembers = 5'000;
  PlainMembers members;
  RankBoard board(100, members);
  for (std::uint32_t i = 0; i < kMembers; ++i) {
    members.put(i, BoardEntry{static_cast<std::int64_t>(i), kNoon, numbered(i)});
  }
  board.rebuild();
  members.visited = 0;
  const auto behind = board.after(members.entries.at(2'000), 10);
  const auto ahead = board.before(members.entries.at(2'000), 10);
  ASSERT_EQ(behind.size(), 10U);
  ASSERT_EQ(ahead.size(), 10U);
  EXPECT_EQ(behind.front(), members.entries.at(1'999));
  EXPECT_EQ(ahead.back(), members.entries.at(2'001));
  EXPECT_LE(members.visited, 24U);
}

}  // namespace
}  // namespace tideline::scoring
