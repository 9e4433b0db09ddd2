// Live counts of unread notifications: who listens knows the count that he would read, is told of
// it once, and the table is asked for those alone of whom something has changed.
#include "feed/api/notifications/notification_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

core::AccountId person(std::size_t number) {
  return core::AccountId(core::AccountId::Bytes{static_cast<std::uint8_t>(number % 250 + 1),
                                                static_cast<std::uint8_t>(number / 250)});
}

// A table and an engine of two numbers: what is written, and how much of it may be told.
class NumberSource final : public UnreadSource {
 public:
  core::Result<Changes> find_changes(std::span<const core::AccountId> owners) override {
    if (is_down) return core::unavailable("down");
    Changes found;
    for (const auto& owner : owners) {
      if (changes.contains(owner)) found.emplace(owner, changes.at(owner));
    }
    return found;
  }
  core::Result<CountedNotifications> count(const core::AccountId& owner) override {
    if (is_down) return core::unavailable("down");
    counts.push_back(owner);
    CountedNotifications counted;
    counted.unread.count = unread[owner];
    counted.unread.more = unread[owner] == kUnreadNotificationsMax;
    counted.asked.doings_max = unread[owner];
    counted.asked.is_whole = is_whole;
    return counted;
  }
  bool is_as_counted(const core::AccountId& owner, const CountedNotifications& counted) override {
    ++asked;
    return !is_whole || counted.asked.doings_max == unread[owner];
  }

  Changes changes;
  std::map<core::AccountId, std::size_t> unread;
  std::vector<core::AccountId> counts;
  std::size_t asked = 0;
  bool is_whole = true;
  bool is_down = false;
};

class NotificationStream : public ::testing::Test {
 protected:
  NotificationStream() {
    status.caught_up_once = true;
    status.behind = std::chrono::milliseconds(0);
    applied.reset({"feed"}, {});
  }

  std::shared_ptr<http::EventStream> listen(const core::AccountId& viewer) {
    auto stream = std::make_shared<http::EventStream>();
    streams.add(viewer, stream);
    return stream;
  }
  // Something is written that concerns him.
  void write(const core::AccountId& owner, std::size_t unread) {
    source.unread[owner] = unread;
    ++source.changes[owner];
  }
  // The engine goes on.
  void move() {
    eventsourcing::PositionVector reached;
    reached.raise("feed", core::LogIndex(0), core::LogPosition(++position_));
    applied.advance(reached);
  }
  std::vector<std::size_t> round(const std::shared_ptr<http::EventStream>& stream) {
    streams.round();
    return told(stream);
  }
  static std::vector<std::size_t> told(const std::shared_ptr<http::EventStream>& stream) {
    std::vector<std::size_t> counts;
    std::istringstream lines(stream->take().bytes);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.starts_with("id:")) << "it would move his place in the timeline";
      EXPECT_TRUE(!line.starts_with("event: ") || line == "event: notifications") << line;
      if (!line.starts_with("data: ")) continue;
      const Json data = Json::parse(line.substr(6));
      EXPECT_EQ(data["more"], data["unread"] == kUnreadNotificationsMax);
      counts.push_back(data["unread"]);
    }
    return counts;
  }

  const core::AccountId ada = person(0), bob = person(1);
  NumberSource source;
  eventsourcing::AppliedPositions applied;
  eventsourcing::RunnerStatus status;
  Freshness freshness{{[this] { return status; }, [] { return false; }}, std::chrono::seconds(5)};
  NotificationStreams streams{{source, applied, freshness}};

 private:
  std::uint64_t position_ = 0;
};

TEST_F(NotificationStream, TellsTheCountWhenItBeginsAndWhenItIsAnotherOne) {
  source.unread[ada] = 3;
  const auto stream = listen(ada);
  EXPECT_THAT(round(stream), ElementsAre(3));
  EXPECT_THAT(round(stream), IsEmpty());
  write(ada, 4);
  EXPECT_THAT(round(stream), ElementsAre(4));
  write(ada, 4);
  EXPECT_THAT(round(stream), IsEmpty()) << "a row that is not told";
  write(bob, 9);
  EXPECT_THAT(round(stream), IsEmpty());
  EXPECT_EQ(source.counts.size(), 3U);
  write(ada, kUnreadNotificationsMax);
  EXPECT_THAT(round(stream), ElementsAre(kUnreadNotificationsMax));
}

TEST_F(NotificationStream, TellsTheLowerCountWhereNothingButTheEngineHasChanged) {
  source.unread[ada] = 3;
  const auto stream = listen(ada);
  round(stream);
  source.unread[ada] = 2;
  EXPECT_THAT(round(stream), IsEmpty()) << "the engine has applied nothing";
  EXPECT_EQ(source.asked, 0U);
  move();
  EXPECT_THAT(round(stream), ElementsAre(2));
  move();
  EXPECT_THAT(round(stream), IsEmpty());
  EXPECT_EQ(source.counts.size(), 2U) << "the table is left alone while the engine says the same";
}

TEST_F(NotificationStream, TellsEveryStreamOfOnePersonAndCountsOnce) {
  source.unread[ada] = 1;
  const auto one = listen(ada);
  EXPECT_THAT(round(one), ElementsAre(1));
  const auto other = listen(ada);
  EXPECT_THAT(round(other), ElementsAre(1));
  write(ada, 2);
  EXPECT_THAT(round(one), ElementsAre(2));
  EXPECT_THAT(told(other), ElementsAre(2));
  EXPECT_EQ(source.counts.size(), 2U);
  EXPECT_EQ(streams.size(), 1U);
}

TEST_F(NotificationStream, CountsSoManyARoundInTurn) {
  std::vector<std::shared_ptr<http::EventStream>> all;
  const std::size_t crowd = 2 * NotificationStreams::kCountsInRound + 10;
  for (std::size_t i = 0; i < crowd; ++i) all.push_back(listen(person(i)));
  for (int i = 1; i <= 3; ++i) {
    for (std::size_t who = 0; who < NotificationStreams::kCountsInRound; ++who) {
      ++source.changes[person(who)];
    }
    streams.round();
    EXPECT_EQ(source.counts.size(), i * NotificationStreams::kCountsInRound);
  }
  for (std::size_t i = 0; i < crowd; ++i) {
    EXPECT_EQ(told(all[i]).size(), 1U) << i << ": nobody waits behind who changes all the time";
  }
}

TEST_F(NotificationStream, SaysNothingThatMayBeOldOrUnderATokenThatHasEnded) {
  source.unread[ada] = 1;
  const auto stream = listen(ada);
  status.behind = std::chrono::milliseconds(5001);
  EXPECT_THAT(round(stream), IsEmpty());
  EXPECT_THAT(source.counts, IsEmpty());
  status.behind = std::chrono::milliseconds(0);
  stream->end_when([] { return true; });
  EXPECT_THAT(round(stream), IsEmpty());
  stream->end_when([] { return false; });
  EXPECT_THAT(round(stream), ElementsAre(1));
}

TEST_F(NotificationStream, GoesOnWhenTheTableAnswersAgain) {
  source.unread[ada] = 1;
  const auto stream = listen(ada);
  source.is_down = true;
  EXPECT_THAT(round(stream), IsEmpty());
  source.is_down = false;
  EXPECT_THAT(round(stream), ElementsAre(1));
  source.is_down = true;
  write(ada, 2);
  move();
  EXPECT_THAT(round(stream), IsEmpty());
  source.is_down = false;
  EXPECT_THAT(round(stream), ElementsAre(2));
}

TEST_F(NotificationStream, CountsAnewNowAndThenOfWhomMoreIsUnreadThanIsKept) {
  source.is_whole = false;
  source.unread[ada] = 5;
  const auto stream = listen(ada);
  EXPECT_THAT(round(stream), ElementsAre(5));
  source.unread[ada] = 4;
  std::size_t rounds = 0;
  for (std::vector<std::size_t> heard; heard.empty(); ++rounds) {
    ASSERT_LE(rounds, NotificationStreams::kRoundsUnsure);
    heard = round(stream);
  }
  EXPECT_EQ(rounds, NotificationStreams::kRoundsUnsure);
}

TEST_F(NotificationStream, LetsGoOfWhoHasGone) {
  const auto stream = listen(ada);
  const auto other = listen(bob);
  streams.round();
  EXPECT_EQ(streams.size(), 2U);
  stream->abandon();
  streams.round();
  EXPECT_EQ(streams.size(), 1U);
}

}  // namespace
}  // namespace tideline::feed
