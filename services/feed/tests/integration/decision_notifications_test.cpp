// What moderators decide is told to whom it concerns: who has written what is removed, and who has
// reported what is decided on. Nobody is named, and whichever log is ahead, it is told once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <set>
#include <thread>

#include "../feed_app.hpp"
#include "feed/domain/moderation_case.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;
using Texts = std::vector<std::string>;

// Ada writes; bob and cleo report; mona decides.
class DecisionNotifications : public ::testing::Test {
 protected:
  DecisionNotifications() {
    for (const std::string name : {"ada", "bob", "cleo", "mona"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.give_role("mona", "moderator");
    app.compares = false;
    moment = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
    deliver();
  }

  void deliver() {
    app.deliver();
    app.clock.advance(std::chrono::minutes(1));
  }
  void report(const std::string& who, const std::string& path) {
    const auto response = app.call(who, Method::Put, "/v1/moments/" + path + "/report",
                                   {{"category", "spam"}, {"text", "look"}});
    EXPECT_EQ(response.status, 204) << response.body;
    deliver();
  }
  void decide(const std::string& id, const std::string& what) {
    const auto response = app.post("mona", "/v1/moment-cases/" + id + "/decision",
                                   {{"decision", what}, {"reason", "rule 3"}});
    EXPECT_EQ(response.status, 204) << response.body;
    deliver();
  }
  Json items(const std::string& who) {
    const auto response = app.get(who, "/v1/notifications");
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body)["items"];
  }
  Texts kinds(const std::string& who) {
    Texts kinds;
    const Json found = items(who);
    for (const auto& item : found) kinds.push_back(item["kind"]);
    return kinds;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string moment;
};

TEST_F(DecisionNotifications, TellTheAuthorOfARemovalAndTheReporterOfTheDecision) {
  report("bob", moment);
  EXPECT_EQ(kinds("ada"), Texts{}) << "of a report nobody is told";
  EXPECT_EQ(kinds("bob"), Texts{});
  decide(moment, "removed");
  for (const auto& [who, kind] :
       {std::pair("ada", "removed"), std::pair("bob", "report-decided")}) {
    const Json found = items(who);
    ASSERT_EQ(found.size(), 1U) << who;
    EXPECT_EQ(found[0]["kind"], kind);
    EXPECT_EQ(found[0]["moment_id"], moment) << "told though it is gone";
    EXPECT_EQ(found[0]["comment_id"], nullptr);
    EXPECT_EQ(found[0]["people"], Json::array()) << "nobody is named";
    EXPECT_EQ(found[0]["people_count"], 0);
    EXPECT_EQ(found[0]["unread"], true);
    EXPECT_EQ(found[0].dump().find("rule 3"), std::string::npos);
  }
  EXPECT_EQ(kinds("mona"), Texts{});
}

TEST_F(DecisionNotifications, TellTheAuthorOfAHidingOnceAndOfNoRestoring) {
  report("bob", moment);
  decide(moment, "hidden");
  EXPECT_EQ(kinds("ada"), Texts{"hidden"});
  EXPECT_EQ(kinds("bob"), Texts{"report-decided"}) << "told though it is not for him any more";
  const Json before = items("ada");
  decide(moment, "restored");
  EXPECT_EQ(items("ada"), before);
  report("cleo", moment);
  decide(moment, "hidden");
  EXPECT_EQ(kinds("ada"), Texts{"hidden"});
  EXPECT_EQ(kinds("cleo"), Texts{"report-decided"});
}

TEST_F(DecisionNotifications, TellTheAuthorOfNoDismissal) {
  report("bob", moment);
  report("cleo", moment);
  decide(moment, "dismissed");
  EXPECT_EQ(kinds("ada"), Texts{});
  EXPECT_EQ(kinds("bob"), Texts{"report-decided"});
  EXPECT_EQ(kinds("cleo"), Texts{"report-decided"});
}

TEST_F(DecisionNotifications, AreOfTheOpeningThatWasReported) {
  report("bob", moment);
  decide(moment, "dismissed");
  report("cleo", moment);
  EXPECT_EQ(kinds("cleo"), Texts{}) << "her report is not decided on";
  const Json before = items("bob");
  decide(moment, "removed");
  EXPECT_EQ(kinds("cleo"), Texts{"report-decided"});
  EXPECT_EQ(items("bob"), before) << "his was, before";
}

TEST_F(DecisionNotifications, AreOfCommentsToo) {
  const auto comment = app.comment("ada", moment, {{"text", "mine"}});
  deliver();
  report("bob", moment + "/comments/" + comment);
  decide(moment + "_" + comment, "removed");
  EXPECT_EQ(items("ada")[0]["comment_id"], comment);
  EXPECT_EQ(kinds("ada"), Texts{"removed"});
  EXPECT_EQ(items("bob")[0]["comment_id"], comment);
}

TEST_F(DecisionNotifications, AreMutedLikeOthersAndCounted) {
  report("bob", moment);
  auto stream = std::make_shared<http::EventStream>();
  app.notification_streams.add(app.id_of("bob"), stream);
  app.notification_streams.round();
  EXPECT_NE(stream->take().bytes.find(R"("unread":0)"), std::string::npos);
  decide(moment, "removed");
  app.notification_streams.round();
  EXPECT_NE(stream->take().bytes.find(R"("unread":1)"), std::string::npos);
  const auto muted =
      app.call("bob", Method::Put, "/v1/notifications/mutes", {{"kinds", {"report-decided"}}});
  EXPECT_EQ(muted.status, 204) << muted.body;
  deliver();
  EXPECT_EQ(kinds("bob"), Texts{});
  app.notification_streams.round();
  EXPECT_NE(stream->take().bytes.find(R"("unread":0)"), std::string::npos);
}

TEST_F(DecisionNotifications, GoOnBehindTheFirstPage) {
  const auto other = app.publish("ada", {{"content", "y"}, {"audience", "public"}});
  deliver();
  for (const auto& id : {moment, other}) {
    report("bob", id);
    decide(id, "removed");
  }
  const Json first = Json::parse(app.get("bob", "/v1/notifications?limit=1").body);
  ASSERT_TRUE(first["after"].is_string()) << first;
  const auto response =
      app.get("bob", "/v1/notifications?limit=1&after=" + first["after"].get<std::string>());
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Json::parse(response.body)["items"][0]["moment_id"], moment);
}

// Several runners, each with some of the logs, as the owners of partitions.
class DecisionRunners : public ::testing::Test {
 protected:
  static core::AccountId reporter(std::size_t number) {
    return core::AccountId(core::AccountId::Bytes{7, static_cast<std::uint8_t>(number)});
  }
  static eventsourcing::RecordedEvent event(const std::string& type, const Json& data) {
    eventsourcing::RecordedEvent made;
    made.source = "feed";
    made.type = type;
    made.data = data.dump();
    return made;
  }
  static eventsourcing::RecordedEvent reported(std::size_t moment, std::uint32_t opening,
                                               const core::AccountId& by) {
    return event("SubjectReported", {{"moment_id", std::to_string(moment)},
                                     {"comment_id", nullptr},
                                     {"reporter", by.to_string()},
                                     {"opening", opening},
                                     {"category", "spam"},
                                     {"text", ""},
                                     {"reported_at", "2027-01-15T08:00:00.000000Z"}});
  }
  static eventsourcing::RecordedEvent decided(std::size_t moment, std::uint32_t opening) {
    return event("CaseDecided", {{"moment_id", std::to_string(moment)},
                                 {"comment_id", nullptr},
                                 {"author", reporter(0).to_string()},
                                 {"opening", opening},
                                 {"moderator", reporter(1).to_string()},
                                 {"decision", "dismissed"},
                                 {"reason", ""},
                                 {"decided_at", "2027-01-15T09:00:00.000000Z"}});
  }
  void flush(NotificationProjection& runner) {
    const auto done =
        tables.database.transact([&](sql::Transaction& transaction) { runner.flush(transaction); });
    ASSERT_TRUE(done.ok()) << done.error().message;
    runner.flushed();
  }
  // "moment reporter", and how many changes were counted.
  std::pair<std::set<std::string>, std::int64_t> told() {
    std::set<std::string> rows;
    std::int64_t changes = 0;
    const auto read = tables.database.read([&](sql::Transaction& transaction) {
      for (const auto& row : transaction.execute("SELECT moment::text, owner FROM notification")) {
        rows.insert(row.text(0) + " " + row.account(1).to_string());
      }
      changes =
          transaction.execute("SELECT coalesce(sum(changes), 0)::bigint FROM notification_change")
              .front()
              .integer(0);
      return true;
    });
    EXPECT_TRUE(read.ok());
    return {rows, changes};
  }

  FeedDatabase tables;
};

TEST_F(DecisionRunners, TellEachReporterOnceInAnyInterleaving) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 numbers(seed);
  for (int trial = 0; trial < 100; ++trial) {
    tables.empty(
        {"notification", "notification_change", "notification_case", "notification_report"});
    std::vector<eventsourcing::RecordedEvent> events;
    std::set<std::string> expected;
    for (std::size_t moment = 1; moment <= 4; ++moment) {
      for (std::uint32_t opening = 1; opening <= 2; ++opening) {
        const bool is_decided = opening == 1 || numbers() % 2 == 0;
        if (is_decided) events.push_back(decided(moment, opening));
        for (std::size_t who = 0; who < 3; ++who) {
          if (numbers() % 2 == 0) continue;
          const auto by = reporter(10 * opening + who);  // of each once for good
          events.push_back(reported(moment, opening, by));
          if (is_decided) expected.insert(std::to_string(moment) + " " + by.to_string());
        }
      }
    }
    std::shuffle(events.begin(), events.end(), numbers);
    std::array<NotificationProjection, 2> runners;
    for (const auto& one : events) {
      runners[numbers() % 2].apply(one);
      if (numbers() % 4 == 0) flush(runners[numbers() % 2]);
    }
    flush(runners[0]);
    flush(runners[1]);
    const auto [rows, changes] = told();
    ASSERT_EQ(rows, expected) << "seed " << seed << ", trial " << trial;
    ASSERT_EQ(changes, static_cast<std::int64_t>(expected.size())) << "seed " << seed;
  }
}

// One has written the report and not committed while the other writes the decision.
TEST_F(DecisionRunners, LoseNothingBetweenTwoTransactions) {
  NotificationProjection one, other;
  one.apply(reported(1, 1, reporter(10)));
  other.apply(decided(1, 1));
  std::thread second;
  const auto done = tables.database.transact([&](sql::Transaction& transaction) {
    one.flush(transaction);
    second = std::thread([&] { flush(other); });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool waits = false;
    while (!waits && std::chrono::steady_clock::now() < until) {
      const auto looked = tables.database.read([&](sql::Transaction& looking) {
        return !looking
                    .execute(
                        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                        "datname = current_database()")
                    .empty();
      });
      waits = looked.ok() && *looked;
      std::this_thread::yield();
    }
    EXPECT_TRUE(waits) << "the second one does not wait for the first";
  });
  second.join();
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(told().first, std::set<std::string>{"1 " + reporter(10).to_string()});
}

}  // namespace
}  // namespace tideline::feed
