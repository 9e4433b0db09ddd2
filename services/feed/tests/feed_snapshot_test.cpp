// Snapshots of the engine as files: read as they were written or not at all, of this history alone,
// and taken from what the topics hold. That reads are the same after a start from one is held by
// feed_engine_law_test.cpp.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

#include "crypto/tests/temporary_folder.hpp"
#include "eventsourcing/topics/in_memory_topics.hpp"
#include "feed/projections/snapshot/snapshot_take.hpp"
#include "feed_app.hpp"
#include "projections/runner/catch_up.hpp"
#include "sql/transaction.hpp"
#include "trial.hpp"

namespace tideline::feed {
namespace {

namespace fs = std::filesystem;
using eventsourcing::RecordedEvent;

const core::Timestamp kNow = *core::parse_iso8601("2026-03-30T10:00:00Z");

// The events of this service as its database holds them.
class OwnEvents final : public eventsourcing::EventLog {
 public:
  void add(const RecordedEvent& event) {
    if (event.source == kOwnService) events.push_back(event);
  }

  std::uint32_t logs() const override { return logs_; }
  core::Status read_ranges(std::span<const eventsourcing::LogRange> ranges,
                           const Visit& visit) override {
    if (is_away) return core::unavailable("away");
    for (const auto& range : ranges) {
      std::size_t shown = 0;
      for (const RecordedEvent& event : events) {
        if (event.log != range.log || event.position <= range.after) continue;
        if (shown++ == range.limit || !visit(event)) break;
      }
    }
    return core::success();
  }
  core::Result<core::LogPosition> head(core::LogIndex) override { return core::LogPosition(0); }
  void wait_for_append(std::chrono::milliseconds) override {}

  std::vector<RecordedEvent> events;
  std::uint32_t logs_ = testing::History::kLogs;
  bool is_away = false;
};

class FeedSnapshot : public ::testing::Test {
 protected:
  // Brings the first `count` events of the history to topics and to the service's own log.
  void bring(std::size_t count) {
    for (; brought < count; ++brought) {
      topics.publish(history.events()[brought]);
      own.add(history.events()[brought]);
      oracle.deliver(history.events()[brought]);
    }
  }
  void bring_all() { bring(history.events().size()); }

  SnapshotStart start() {
    return {folder, own, [this](const fs::path&, const core::Status& used) {
              told.push_back(used ? "used" : used.error().message);
            }};
  }
  projections::RunnerPorts ports() {
    return {database, topics.source(FeedMemory::services()), {}, {}};
  }
  core::Result<std::optional<TakenFeed>> take() {
    told.clear();
    clock.advance(std::chrono::seconds(1));
    return take_snapshot(
        start(),
        [&](FeedEngine& engine, const auto& then) {
          return projections::catch_up(
              engine, ports(), own.logs(),
              [&](eventsourcing::AppliedPositions& applied) { engine.watch(applied); }, then,
              stop.get_token());
        },
        clock, 2);
  }
  fs::path taken() {
    const auto file = take();
    EXPECT_TRUE(file.ok() && file->has_value()) << (file.ok() ? "none" : file.error().message);
    return file.ok() && *file ? (*file)->file : fs::path();
  }
  core::Status read(const fs::path& file) const {
    auto reader = SnapshotReader::open(file);
    if (!reader) return reader.error();
    const auto restored = reader->read();
    return restored ? core::success() : core::Status(restored.error());
  }

  // An engine that a service starts, until it has caught up; how many events that took.
  struct Started {
    std::uint64_t applied = 0;
    testing::Difference difference;
  };
  Started start_engine() {
    told.clear();
    FeedEngineOptions options;
    options.restore = [this] { return restore_newest(start()); };
    FeedEngine engine(std::move(options));
    projections::ProjectionRunner runner(engine, ports(), own.logs());
    engine.watch(runner.applied());
    std::jthread thread([&](const std::stop_token& done) { runner.run(done); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!runner.status().caught_up_once && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    thread.request_stop();
    thread.join();
    EXPECT_TRUE(runner.status().caught_up_once);
    EXPECT_FALSE(engine.is_rebuilding());
    return {runner.status().applied, compare(history, engine, oracle, 3)};
  }
  // Nothing is taken up, everything is applied, and what is read is right.
  void expect_from_the_first_event() {
    const Started started = start_engine();
    EXPECT_EQ(started.applied, brought);
    EXPECT_EQ(started.difference, std::nullopt);
  }

  static testing::Numbers numbers() {
    std::mt19937 random(20260330);
    return testing::random_trial(random, 600, 0).history;
  }

  const testing::History history{numbers()};
  testing::Oracle oracle;
  OwnEvents own;
  eventsourcing::InMemoryTopics topics{testing::History::kLogs};
  testing::NoDatabase database;
  core::ManualClock clock{kNow};
  std::stop_source stop;
  crypto::TemporaryFolder place;
  const snapshots::SnapshotFolder folder{place.path(), kSnapshotPrefix};
  std::vector<std::string> told;
  std::size_t brought = 0;
};

TEST_F(FeedSnapshot, AStartFromOneAppliesWhatCameSinceAlone) {
  const std::size_t all = history.events().size();
  ASSERT_GT(all, 100U);
  bring(all / 2);
  const auto first = take();
  ASSERT_TRUE(first.ok() && *first) << (first.ok() ? "none" : first.error().message);
  EXPECT_TRUE(told.empty());
  bring(all - 10);
  Started started = start_engine();
  EXPECT_EQ(told, std::vector<std::string>{"used"});
  EXPECT_EQ(started.applied, all - 10 - all / 2);
  EXPECT_EQ(started.difference, std::nullopt);

  EXPECT_NE(taken(), (*first)->file);
  EXPECT_EQ(told, std::vector<std::string>{"used"}) << "the next one begins where it was";
  bring_all();
  started = start_engine();
  EXPECT_EQ(started.applied, 10U);
  EXPECT_EQ(started.difference, std::nullopt);

  taken();
  EXPECT_EQ(folder.files().size(), 2U);
  EXPECT_FALSE(fs::exists((*first)->file));
  started = start_engine();
  EXPECT_EQ(started.applied, 0U);
  EXPECT_EQ(started.difference, std::nullopt);
}

TEST_F(FeedSnapshot, TellsWhereItStandsAndWhatIsInIt) {
  bring_all();
  const auto file = take();
  ASSERT_TRUE(file.ok() && *file);
  EXPECT_EQ((*file)->moments, history.moments().size());
  EXPECT_EQ((*file)->people, testing::History::kPeople);
  const auto reader = SnapshotReader::open((*file)->file);
  ASSERT_TRUE(reader.ok());
  const SnapshotOrigin& origin = reader->origin();
  EXPECT_EQ(origin.taken_at, clock.now());
  EXPECT_EQ(origin.places.size(), 3 * testing::History::kLogs);
  std::uint64_t events = 0;
  for (const auto& [partition, at] : origin.places) {
    events += at.position.value();
    EXPECT_EQ(at.next_offset.value(), static_cast<std::int64_t>(at.position.value()));
  }
  EXPECT_EQ(events, history.events().size());
  for (const auto& [log, id] : origin.last_own) {
    EXPECT_EQ(history.events()[std::stoul(id)].log, log);
  }
}

TEST_F(FeedSnapshot, WhatIsCutAnywhereIsNotBelieved) {
  bring(60);
  const fs::path file = taken();
  const auto size = fs::file_size(file);
  const fs::path cut = place.path() / "cut";
  for (std::uintmax_t left = 0; left < size; ++left) {
    fs::copy_file(file, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, left);
    ASSERT_FALSE(read(cut).ok()) << left << " of " << size << " bytes";
  }
  EXPECT_TRUE(read(file).ok());
}

TEST_F(FeedSnapshot, WhatIsDamagedAnywhereIsNotBelieved) {
  bring(60);
  const fs::path file = taken();
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string whole = text.str();
  const fs::path other = place.path() / "damaged";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    std::ofstream(other, std::ios::binary | std::ios::trunc) << damaged;
    ASSERT_FALSE(read(other).ok()) << "byte " << at << " of " << whole.size();
  }
  std::ofstream(other, std::ios::binary | std::ios::trunc) << whole << whole.substr(0, 8);
  EXPECT_FALSE(read(other).ok()) << "something follows";
}

TEST_F(FeedSnapshot, OfAnOlderOneIsMadeUseWhenTheNewestIsDamaged) {
  bring(80);
  taken();
  bring(90);
  const fs::path newest = taken();
  bring_all();
  fs::resize_file(newest, fs::file_size(newest) - 1);
  const Started started = start_engine();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[0].find("not a whole snapshot"), std::string::npos) << told[0];
  EXPECT_EQ(told[1], "used");
  EXPECT_EQ(started.applied, brought - 80);
  EXPECT_EQ(started.difference, std::nullopt);
  fs::resize_file(folder.files()[1], 100);
  expect_from_the_first_event();
}

TEST_F(FeedSnapshot, OfAnotherHistoryIsNotUsed) {
  bring_all();
  taken();
  const OwnEvents ours = own;
  for (RecordedEvent& event : own.events) event.id += " of another";
  expect_from_the_first_event();
  EXPECT_EQ(told, std::vector<std::string>{"it is not of the events of this service"});
  own.events = ours.events;
  own.events.pop_back();
  expect_from_the_first_event();
  EXPECT_EQ(told, std::vector<std::string>{"it is not of the events of this service"});
  own.events.clear();
  expect_from_the_first_event();
  own.events = ours.events;
  EXPECT_EQ(start_engine().applied, 0U);
}

TEST_F(FeedSnapshot, OfAnotherNumberOfLogsIsNotUsed) {
  bring_all();
  taken();
  told.clear();
  own.logs_ = testing::History::kLogs + 1;
  EXPECT_FALSE(restore_newest(start()).has_value());
  EXPECT_EQ(told, std::vector<std::string>{"it is of another number of logs"});
}

TEST_F(FeedSnapshot, WhetherItIsOursIsAskedAgainWhenTheDatabaseIsAway) {
  bring_all();
  taken();
  own.is_away = true;
  EXPECT_THROW(restore_newest(start()), sql::TransactionFailed);
}

TEST_F(FeedSnapshot, NoneIsTakenWithoutAnEventOfOurOwn) {
  for (const RecordedEvent& event : history.events()) {
    if (event.source != kOwnService) topics.publish(event);
  }
  const auto file = take();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_FALSE(file->has_value());
  EXPECT_TRUE(folder.files().empty());
}

TEST_F(FeedSnapshot, NoneIsTakenPastAnEventThatCouldNotBeApplied) {
  bring(history.events().size() - 1);
  RecordedEvent bad = history.events().back();
  bad.type = bad.source == kOwnService  ? "MomentDeleted"
             : bad.source == "accounts" ? "AccountClosed"
                                        : "Followed";
  bad.data = "{}";
  topics.publish(bad);
  const auto file = take();
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message, "an event could not be applied");
  EXPECT_TRUE(folder.files().empty());
}

TEST_F(FeedSnapshot, NoneIsTakenOnceItIsToldToStop) {
  bring_all();
  topics.hide_ends(true);
  std::jthread later([this] { stop.request_stop(); });
  const auto file = take();
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->has_value());
}

// Only the whole file has its name, so that what is there is the older one, or a new whole one.
TEST_F(FeedSnapshot, AKillInTheMiddleLeavesTheOlderOne) {
  bring_all();
  taken();
  FeedEngine engine;
  for (const RecordedEvent& event : history.events()) engine.apply(event);
  const auto origin = SnapshotReader::open(folder.files().front())->origin();
  const auto part_is_there = [this] {
    return std::ranges::any_of(fs::directory_iterator(place.path()), [](const auto& entry) {
      return entry.path().extension() == ".part";
    });
  };
  int in_the_middle = 0;
  for (int kills = 0; kills < 200 && in_the_middle < 5; ++kills) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (int i = 1;; ++i) {
        const auto at = kNow + std::chrono::hours(1) + std::chrono::microseconds(i);
        if (!write_snapshot(folder.file_of(at), origin, engine)) _exit(1);
      }
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!part_is_there() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    in_the_middle += part_is_there() ? 1 : 0;
    for (const fs::path& file : folder.files()) EXPECT_TRUE(read(file).ok()) << file;
    folder.forget_others(1);
    EXPECT_FALSE(part_is_there());
    EXPECT_EQ(start_engine().difference, std::nullopt);
    EXPECT_EQ(told, std::vector<std::string>{"used"});
  }
  EXPECT_GE(in_the_middle, 1) << "no kill hit a write";
}

}  // namespace
}  // namespace tideline::feed
