// Notifications through the routes, on a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed/projections/notifications/notification_queries.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;
using Texts = std::vector<std::string>;

class Notifications : public ::testing::Test {
 protected:
  Notifications() {
    for (const std::string name : {"ada", "bob", "cleo", "dora"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
    moment = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
    deliver();
    mute_contacts();
  }

  void deliver() {
    app.deliver();
    app.clock.advance(std::chrono::minutes(1));
  }
  // What has come by the making of contacts is not what these tests are about.
  void mute_contacts() {
    for (const std::string name : {"ada", "bob", "cleo"}) mute(name, {{"kinds", {"contact"}}});
  }
  void like(const std::string& who, const std::string& id) {
    EXPECT_EQ(app.like(who, id), 204);
    deliver();
  }
  std::string comment(const std::string& who, const std::string& id,
                      const std::string& parent = "") {
    Json body{{"text", "a word"}};
    if (!parent.empty()) body["parent_id"] = parent;
    const auto comment_id = app.comment(who, id, body);
    deliver();
    return comment_id;
  }
  void remove(const std::string& who, const std::string& path) {
    EXPECT_EQ(app.call(who, Method::Delete, path).status, 204) << path;
    deliver();
  }
  void told(const std::string& type, const Json& data) {
    app.tell("social-graph", type, data);
    deliver();
  }
  Json between(const std::string& from, const std::string& to) const {
    return {{"from", app.id_of(from).to_string()}, {"to", app.id_of(to).to_string()}};
  }
  void follow(const std::string& who, const std::string& whom, bool does = true) {
    told(does ? "Followed" : "Unfollowed",
         {{"follower", app.id_of(who).to_string()}, {"followee", app.id_of(whom).to_string()}});
  }
  void mute(const std::string& who, const Json& mutes) {
    const auto response = app.call(who, Method::Put, "/v1/notifications/mutes", mutes);
    EXPECT_EQ(response.status, 204) << response.body;
    deliver();
  }

  Json page(const std::string& who, const std::string& query = "") {
    const auto response = app.get(who, "/v1/notifications" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  // "like bob,cleo": each one's kind and people.
  Texts list(const std::string& who, const std::string& query = "") {
    const Json found = page(who, query);
    Texts texts;
    for (const auto& item : found["items"]) {
      std::string text = item["kind"];
      for (const auto& person : item["people"]) {
        text += (text == item["kind"] ? " " : ",") + person["user_id"].get<std::string>();
      }
      texts.push_back(text);
    }
    return texts;
  }
  Json unread(const std::string& who) {
    const auto response = app.get(who, "/v1/notifications/unread");
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string moment;
};

TEST_F(Notifications, TellOfEachKindUnderAMomentOnceWithTheNewestFirst) {
  like("bob", moment);
  const auto by_bob = comment("bob", moment);
  like("cleo", moment);
  const Json found = page("ada");
  EXPECT_EQ(list("ada"), (Texts{"like cleo,bob", "comment bob"}));
  EXPECT_EQ(found["items"][0]["moment_id"], moment);
  EXPECT_EQ(found["items"][0]["comment_id"], nullptr);
  EXPECT_EQ(found["items"][0]["people_count"], 2);
  EXPECT_EQ(found["items"][1]["comment_id"], by_bob);
  EXPECT_EQ(found["after"], nullptr);
  EXPECT_EQ(list("bob"), Texts{}) << "nobody is told of what he does himself";
}

TEST_F(Notifications, TellAnAnswerOnceToWhomItAnswers) {
  const auto by_bob = comment("bob", moment);
  comment("ada", moment, by_bob);
  EXPECT_EQ(list("bob"), Texts{"reply ada"});
  EXPECT_EQ(list("ada"), Texts{"comment bob"});
  const auto by_ada = comment("ada", moment);
  comment("bob", moment, by_ada);
  EXPECT_EQ(list("ada"), (Texts{"reply bob", "comment bob"}));
  app.befriend("bob", "cleo");
  comment("cleo", moment, by_bob);
  EXPECT_EQ(list("bob"), (Texts{"reply cleo,ada"}));
  EXPECT_EQ(list("ada"), (Texts{"comment cleo,bob", "reply bob"}));
}

TEST_F(Notifications, TellOfAnAnswerOfTheAuthorWhoIsNoContact) {
  const auto by_dora = comment("dora", moment);
  EXPECT_EQ(list("ada"), Texts{}) << "Dora is nobody whom Ada meets";
  app.befriend("ada", "dora");
  comment("ada", moment, by_dora);
  mute("dora", {{"kinds", {"contact"}}});
  told("ContactRemoved",
       {{"by", app.id_of("ada").to_string()}, {"other", app.id_of("dora").to_string()}});
  EXPECT_EQ(list("dora"), Texts{"reply ada"}) << "the author is met under a public moment";
}

TEST_F(Notifications, TellOfNothingThatIsRevoked) {
  like("bob", moment);
  const auto by_bob = comment("bob", moment);
  const auto answer = comment("ada", moment, by_bob);
  EXPECT_EQ(list("ada"), (Texts{"comment bob", "like bob"}));
  remove("bob", "/v1/moments/" + moment + "/like");
  EXPECT_EQ(list("ada"), Texts{"comment bob"});
  remove("ada", "/v1/moments/" + moment + "/comments/" + by_bob);
  EXPECT_EQ(list("ada"), Texts{});
  EXPECT_EQ(list("bob"), Texts{}) << "what was answered is gone";
  EXPECT_EQ(unread("ada")["unread"], 0);
}

TEST_F(Notifications, TellOfNothingUnderWhatTheReaderMayNotSee) {
  const auto by_bob = comment("bob", moment);
  comment("ada", moment, by_bob);
  EXPECT_EQ(list("bob"), Texts{"reply ada"});
  EXPECT_EQ(
      app.call("ada", Method::Put, "/v1/moments/" + moment + "/audience", {{"audience", "private"}})
          .status,
      204);
  deliver();
  EXPECT_EQ(list("bob"), Texts{});
  EXPECT_EQ(list("ada"), Texts{"comment bob"});
  remove("ada", "/v1/moments/" + moment);
  EXPECT_EQ(list("ada"), Texts{});
}

TEST_F(Notifications, TellOfNobodyWhoIsNotMetAnyMore) {
  like("bob", moment);
  like("cleo", moment);
  like("dora", moment);
  follow("dora", "ada");
  EXPECT_EQ(list("ada"), (Texts{"follow dora", "like cleo,bob"}));
  told("ContactRemoved",
       {{"by", app.id_of("bob").to_string()}, {"other", app.id_of("ada").to_string()}});
  EXPECT_EQ(list("ada"), (Texts{"follow dora", "like cleo"}));
  app.tell("accounts", "AccountClosed",
           {{"account_id", app.id_of("cleo").to_string()}, {"closed_at", "2027-01-15T08:00:00Z"}});
  EXPECT_EQ(list("ada"), Texts{"follow dora"});
  app.block("ada", "dora");
  EXPECT_EQ(list("ada"), Texts{});
  app.befriend("ada", "bob");
  deliver();
  EXPECT_EQ(list("ada"), Texts{"like bob"}) << "it stands, and he is met again";
}

TEST_F(Notifications, TellOfFollowersAsLongAsTheyFollow) {
  follow("dora", "ada");
  EXPECT_EQ(list("ada"), Texts{"follow dora"});
  const auto at = page("ada")["items"][0]["at"];
  follow("dora", "ada", false);
  EXPECT_EQ(list("ada"), Texts{});
  follow("dora", "ada");
  EXPECT_EQ(page("ada")["items"][0]["at"], at) << "of the first time: it is nothing new";
}

TEST_F(Notifications, TellOfContactRequestsAndOfTheirAcceptance) {
  told("ContactRequested", between("dora", "ada"));
  EXPECT_EQ(list("ada"), Texts{"contact-request dora"});
  told("ContactRequestWithdrawn", between("dora", "ada"));
  EXPECT_EQ(list("ada"), Texts{});
  told("ContactRequested", between("dora", "ada"));
  told("ContactDeclined", between("dora", "ada"));
  EXPECT_EQ(list("ada"), Texts{});
  told("ContactRequested", between("dora", "ada"));
  told("ContactAccepted", between("dora", "ada"));
  EXPECT_EQ(list("ada"), Texts{}) << "she has accepted it herself";
  EXPECT_EQ(list("dora"), Texts{"contact ada"});
}

TEST_F(Notifications, CountWhatIsNewerThanWhatWasSeen) {
  like("bob", moment);
  comment("bob", moment);
  EXPECT_EQ(unread("ada"), (Json{{"unread", 2}, {"more", false}, {"seen_up_to", nullptr}}));
  const Json found = page("ada");
  const std::string newest = found["items"][0]["at"];
  EXPECT_EQ(found["items"][0]["unread"], true);
  EXPECT_EQ(app.call("ada", Method::Put, "/v1/notifications/seen", {{"up_to", newest}}).status,
            204);
  deliver();
  EXPECT_EQ(unread("ada"), (Json{{"unread", 0}, {"more", false}, {"seen_up_to", newest}}));
  EXPECT_EQ(page("ada")["items"][0]["unread"], false);
  like("cleo", moment);
  EXPECT_EQ(unread("ada")["unread"], 1) << "the like of Bob is in it, too";
  for (const std::string up_to : {"yesterday", "2026-02-30T00:00:00Z", "2999-01-01T00:00:00Z"}) {
    EXPECT_EQ(app.call("ada", Method::Put, "/v1/notifications/seen", {{"up_to", up_to}}).status,
              422)
        << up_to;
  }
}

TEST_F(Notifications, AreMutedByKindPersonAndMoment) {
  const auto other = app.publish("ada", {{"content", "y"}, {"audience", "public"}});
  deliver();
  like("bob", moment);
  comment("cleo", moment);
  like("cleo", other);
  follow("dora", "ada");
  mute("ada", {{"kinds", {"contact", "like"}}});
  EXPECT_EQ(list("ada"), (Texts{"follow dora", "comment cleo"}));
  mute("ada", {{"kinds", {"contact"}}, {"user_ids", {"cleo", "dora"}}});
  EXPECT_EQ(list("ada"), Texts{"like bob"});
  mute("ada", {{"kinds", {"contact"}}, {"moment_ids", {moment}}});
  EXPECT_EQ(list("ada"), (Texts{"follow dora", "like cleo"}));
  EXPECT_EQ(unread("ada")["unread"], 2);
  const auto mutes = app.get("ada", "/v1/notifications/mutes");
  EXPECT_EQ(Json::parse(mutes.body),
            (Json{{"kinds", {"contact"}}, {"people", Json::array()}, {"moment_ids", {moment}}}));
  mute("ada", {{"kinds", {"contact"}}});
  EXPECT_EQ(list("ada").size(), 4U);
}

TEST_F(Notifications, RefuseMutesOfWhatIsNotThere) {
  const auto answer = [&](const Json& mutes) {
    return app.call("ada", Method::Put, "/v1/notifications/mutes", mutes).status;
  };
  EXPECT_EQ(answer({{"kinds", {"vote"}}}), 422);
  EXPECT_EQ(answer({{"moment_ids", {"x"}}}), 422);
  EXPECT_EQ(answer({{"user_ids", {"nobody"}}}), 404);
  EXPECT_EQ(answer({{"moment_ids", Json::array()}, {"threads", Json::array()}}), 422);
  EXPECT_EQ(app.get("", "/v1/notifications").status, 401);
}

TEST_F(Notifications, ArePagedToTheEnd) {
  for (int day = 0; day < 6; ++day) {
    const auto id = app.publish("ada", {{"content", "y"}, {"audience", "public"}});
    deliver();
    like("bob", id);
    follow("dora", "ada", day % 2 == 0);
    app.clock.advance(std::chrono::hours(7));
  }
  const Json whole = page("ada");
  Json items = Json::array();
  std::string query = "?limit=2";
  for (int pages = 0; pages < 10; ++pages) {
    const Json found = page("ada", query);
    items.insert(items.end(), found["items"].begin(), found["items"].end());
    if (found["after"].is_null()) break;
    query = "?limit=2&after=" + found["after"].get<std::string>();
  }
  EXPECT_EQ(items, whole["items"]);
  EXPECT_EQ(items.size(), 6U);
  for (const std::string wrong :
       {"?after=bm90aWZpY2F0aW9uczp4", "?after=x", "?before=x", "?limit=0"}) {
    EXPECT_EQ(app.get("ada", "/v1/notifications" + wrong).status, 400) << wrong;
  }
}

// One contact has done far more than is read at once, a crowd of strangers, too; what others did
// before is told all the same, and so is the newest of that day.
TEST_F(Notifications, AreNotHiddenByACrowd) {
  app.compares = false;
  like("bob", moment);
  like("cleo", moment);
  app.clock.advance(std::chrono::days(1));
  for (int i = 0; i < 40; ++i) {
    app.comment("bob", moment, {{"text", "again"}});
    app.clock.advance(std::chrono::milliseconds(1));
  }
  for (std::size_t i = 0; i < kNotificationsOfKindMax + 20; ++i) {
    app.tell("social-graph", "Followed",
             {{"follower", app.id_of("crowd" + std::to_string(i)).to_string()},
              {"followee", app.id_of("ada").to_string()}});
  }
  deliver();
  const Json found = page("ada");
  ASSERT_EQ(found["items"].size(), 3U) << found.dump();
  EXPECT_EQ(found["items"][0]["kind"], "follow");
  EXPECT_EQ(found["items"][0]["people_count"], kNotificationsOfKindMax);
  EXPECT_EQ(found["items"][1]["kind"], "comment");
  EXPECT_EQ(found["items"][2]["kind"], "like");
  EXPECT_EQ(found["items"][2]["people_count"], 2) << "Bob's own crowd does not hide his like";
  EXPECT_EQ(found["after"], nullptr);
}

TEST_F(Notifications, LookIntoTheIndexesOfOnePartition) {
  const auto plan = tables.explain(
      kFindNotificationsSql,
      {app.id_of("ada"), std::vector<int>{0, 1}, std::vector<int>{2, 3},
       std::vector<core::AccountId>{app.id_of("bob")}, std::vector<core::AccountId>{},
       std::vector<core::MomentId>{}, app.clock.now(), 500, 30, 2000});
  EXPECT_EQ(testing::scans_of(plan, "notification"), 2U) << plan;
}

}  // namespace
}  // namespace tideline::feed
