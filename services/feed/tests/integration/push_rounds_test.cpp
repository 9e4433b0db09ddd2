// Messages to browsers on a real PostgreSQL: who is sent one, when, and what ends a subscription.
// What is in them is decrypted by tests/e2e/web_push.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "../feed_app.hpp"
#include "feed/api/notifications/push_rounds.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using push::PushOutcome;
using ::testing::ElementsAre;
using testing::FeedApp;
using testing::FeedDatabase;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kPushKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyfWPiYE+n46HLnH0\n"
    "KqZOF1fJJU3MYrct3AELtAQ+oRyhRANCAAT+M/SrDepxkU21WCP3O1SUj0EwbZIH\n"
    "Mtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kBrowser =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

push::Vapid read_vapid() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tideline-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  std::ofstream(pattern + "/key.pem") << kPushKey;
  auto vapid = push::Vapid::load(pattern + "/key.pem", "mailto:campus@example.edu");
  std::filesystem::remove_all(pattern);
  EXPECT_TRUE(vapid.ok());
  return *vapid;
}

std::string endpoint(const std::string& name) { return "https://push.example.net/" + name; }

// Ada has browsers; others do what she is told of.
class PushMessages : public ::testing::Test {
 protected:
  PushMessages() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.compares = false;
    moment = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
    deliver();
  }

  PushRounds::Ports ports() {
    return {.database = tables.database,
            .unread = app.unread,
            .cipher = app.cipher,
            .freshness = app.freshness,
            .vapid = *app.vapid,
            .reach = push::Reach::Public,
            .is_revoked = [this](const http::Principal&) { return is_revoked; },
            .send =
                [this](std::span<const push::PushRequest> batch) {
                  if (meanwhile) meanwhile();
                  std::vector<push::PushAnswer> answers;
                  for (const auto& request : batch) {
                    sent.push_back(request.endpoint.substr(endpoint("").size()));
                    answers.push_back(answer);
                  }
                  return answers;
                },
            .on_answer = {},
            .clock = app.clock};
  }
  void deliver() {
    app.deliver();
    app.clock.advance(std::chrono::seconds(1));
  }
  http::Response subscribe(const std::string& who, const std::string& where) {
    return app.call(
        who, Method::Put, "/v1/notifications/push",
        {{"endpoint", where}, {"p256dh", kBrowser}, {"auth", "BTBZMqHH6r4Tts7J_aSIgg"}});
  }
  void subscribe_ada(const std::string& name) {
    const auto response = subscribe("ada", endpoint(name));
    ASSERT_EQ(response.status, 200) << response.body;
    app.clock.advance(std::chrono::seconds(1));
  }
  Json subscriptions(const std::string& who = "ada") {
    const auto response = app.get(who, "/v1/notifications/push");
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body)["subscriptions"];
  }
  // Somebody new does something that she is told of.
  void follow() {
    const auto who = app.id_of("follower" + std::to_string(++followers_));
    app.tell("social-graph", "Followed",
             {{"follower", who.to_string()}, {"followee", app.id_of("ada").to_string()}});
    deliver();
  }
  // What one round sends.
  std::vector<std::string> round() {
    sent.clear();
    rounds.round();
    return sent;
  }

  FeedDatabase tables;
  FeedApp app{tables.database, std::size_t{1} << 24, read_vapid()};
  std::string moment;
  bool is_revoked = false;
  push::PushAnswer answer{PushOutcome::Taken, ""};
  std::vector<std::string> sent;
  std::function<void()> meanwhile;
  PushRounds rounds{ports()};

 private:
  int followers_ = 0;
};

TEST_F(PushMessages, GoToEachBrowserOnceForWhatIsNew) {
  follow();
  subscribe_ada("laptop");
  subscribe_ada("phone");
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_EQ(app.like("bob", moment), 204);  // is not told, and yet written for her
  deliver();
  EXPECT_THAT(round(), IsEmpty()) << "what was there a page has shown";
  follow();
  EXPECT_THAT(round(), UnorderedElementsAre("laptop", "phone"));
  app.clock.advance(PushRounds::kPause);
  EXPECT_THAT(round(), IsEmpty());
}

TEST_F(PushMessages, SayNothingOfWhatSheMayNotKnowOrHasSeen) {
  subscribe_ada("laptop");
  EXPECT_EQ(app.like("bob", moment), 204);
  deliver();
  EXPECT_THAT(round(), IsEmpty()) << "Bob is nobody whom she meets";
  follow();
  app.block("ada", "follower1");
  deliver();
  EXPECT_THAT(round(), IsEmpty()) << "it was revoked before it was sent";
  follow();
  EXPECT_EQ(app.call("ada", Method::Put, "/v1/notifications/seen",
                     {{"up_to", core::format_iso8601(app.clock.now())}})
                .status,
            204);
  deliver();
  EXPECT_THAT(round(), IsEmpty());
  follow();
  EXPECT_THAT(round(), ElementsAre("laptop"));
}

TEST_F(PushMessages, WaitForAPause) {
  subscribe_ada("laptop");
  follow();
  EXPECT_THAT(round(), ElementsAre("laptop"));
  follow();
  follow();
  EXPECT_THAT(round(), IsEmpty());
  app.clock.advance(PushRounds::kPause);
  EXPECT_THAT(round(), ElementsAre("laptop"));
}

TEST_F(PushMessages, WaitWhileTheEngineIsOld) {
  subscribe_ada("laptop");
  follow();
  app.status.behind = std::chrono::milliseconds(5001);
  EXPECT_THAT(round(), IsEmpty());
  app.status.behind = std::chrono::milliseconds(0);
  EXPECT_THAT(round(), ElementsAre("laptop"));
}

TEST_F(PushMessages, AreSentByOneInstance) {
  subscribe_ada("laptop");
  follow();
  PushRounds other(ports());
  meanwhile = [&] {
    meanwhile = nullptr;
    other.round();
  };
  EXPECT_THAT(round(), ElementsAre("laptop"));
}

TEST_F(PushMessages, AreTriedAgainWithGrowingPausesAndThenLeft) {
  subscribe_ada("laptop");
  follow();
  answer = {PushOutcome::Later, "503"};
  std::chrono::seconds pause{60};
  for (int attempt = 1; attempt <= PushRounds::kAttemptsMax; ++attempt) {
    EXPECT_THAT(round(), ElementsAre("laptop")) << attempt;
    app.clock.advance(pause - std::chrono::seconds(1));
    EXPECT_THAT(round(), IsEmpty()) << attempt;
    app.clock.advance(std::chrono::seconds(1));
    pause *= 2;
  }
  EXPECT_THAT(round(), IsEmpty()) << "this one is left";
  follow();
  answer = {PushOutcome::Taken, ""};
  EXPECT_THAT(round(), ElementsAre("laptop"));
}

TEST_F(PushMessages, WaitAsLongAsAPushServiceSays) {
  subscribe_ada("laptop");
  follow();
  answer = {PushOutcome::Later, "429", std::chrono::seconds(600)};
  EXPECT_THAT(round(), ElementsAre("laptop"));
  app.clock.advance(std::chrono::seconds(599));
  EXPECT_THAT(round(), IsEmpty());
  app.clock.advance(std::chrono::seconds(1));
  EXPECT_THAT(round(), ElementsAre("laptop"));
}

TEST_F(PushMessages, EndWhereThePushServiceSaysSo) {
  subscribe_ada("laptop");
  follow();
  answer = {PushOutcome::Gone, "410"};
  EXPECT_THAT(round(), ElementsAre("laptop"));
  EXPECT_THAT(subscriptions(), IsEmpty());
}

TEST_F(PushMessages, EndAfterSoManyFailures) {
  subscribe_ada("laptop");
  answer = {PushOutcome::Refused, "400"};
  for (int failures = 1; failures <= PushRounds::kFailuresMax; ++failures) {
    EXPECT_EQ(subscriptions().size(), 1U) << failures;
    follow();
    EXPECT_THAT(round(), ElementsAre("laptop")) << failures;
    EXPECT_THAT(round(), IsEmpty()) << "what is refused is not sent again";
    app.clock.advance(PushRounds::kPauseMax);
  }
  EXPECT_THAT(subscriptions(), IsEmpty());
}

TEST_F(PushMessages, EndWithTheSession) {
  subscribe_ada("laptop");
  follow();
  is_revoked = true;
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_THAT(subscriptions(), IsEmpty());
  is_revoked = false;
  subscribe_ada("laptop");
  is_revoked = true;
  rounds.sweep();
  EXPECT_THAT(subscriptions(), IsEmpty()) << "also where nothing was to be sent";
}

TEST_F(PushMessages, EndWhereNoPageIsOpenedAnyMore) {
  subscribe_ada("laptop");
  subscribe_ada("phone");
  app.clock.advance(kPushRenewedWithin - std::chrono::hours(1));
  subscribe_ada("phone");
  app.clock.advance(std::chrono::hours(2));
  follow();
  EXPECT_THAT(round(), ElementsAre("phone"));
  EXPECT_EQ(subscriptions().size(), 1U);
}

TEST_F(PushMessages, EndWithTheAccount) {
  subscribe_ada("laptop");
  follow();
  ASSERT_TRUE(app.cipher.destroy(app.id_of("ada")).ok());
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_THAT(subscriptions(), IsEmpty()) << "nobody can read where to send to";
}

TEST_F(PushMessages, AreForTenBrowsersAtMost) {
  for (int i = 0; i < 12; ++i) subscribe_ada("browser" + std::to_string(i));
  EXPECT_EQ(subscriptions().size(), kPushSubscriptionsMax);
  follow();
  const auto told = round();
  EXPECT_EQ(told.size(), kPushSubscriptionsMax);
  EXPECT_EQ(std::ranges::count(told, "browser0"), 0) << "the oldest has made room";
  EXPECT_EQ(std::ranges::count(told, "browser11"), 1);
}

TEST_F(PushMessages, AreWantedAndNotWantedByRoutes) {
  EXPECT_EQ(Json::parse(app.get("ada", "/v1/notifications/push").body)["public_key"],
            app.vapid->public_key());
  subscribe_ada("laptop");
  subscribe_ada("laptop");
  const Json found = subscriptions();
  ASSERT_EQ(found.size(), 1U) << "renewed";
  EXPECT_EQ(found[0]["of_this_session"], true);
  EXPECT_EQ(found[0].dump().find("push.example"), std::string::npos);
  const std::string path = "/v1/notifications/push/" + found[0]["id"].get<std::string>();
  EXPECT_EQ(app.call("bob", Method::Delete, path).status, 404);
  EXPECT_EQ(app.call("ada", Method::Delete, path).status, 204);
  EXPECT_EQ(app.call("ada", Method::Delete, path).status, 404);
  follow();
  EXPECT_THAT(round(), IsEmpty());
  for (const std::string wrong :
       {"http://push.example.net/", "https://push.example.net:22/", "x"}) {
    EXPECT_EQ(subscribe("ada", wrong).status, 422) << wrong;
  }
  EXPECT_EQ(app.get("", "/v1/notifications/push").status, 401);
  FeedApp without(tables.database);
  const auto refused = without.call("ada", Method::Put, "/v1/notifications/push",
                                    {{"endpoint", "x"}, {"p256dh", "x"}, {"auth", "x"}});
  EXPECT_EQ(refused.status, 409);
}

TEST_F(PushMessages, LieSealed) {
  subscribe_ada("laptop");
  const auto stored = tables.database.read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT target FROM push_subscription").front().text(0);
  });
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(stored->starts_with("1.")) << *stored;
}

}  // namespace
}  // namespace tideline::feed
