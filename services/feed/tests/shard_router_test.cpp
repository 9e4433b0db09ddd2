// Timelines of several instances through the routes: answered here, passed on, waited for.
#include "feed/shards/shard_router.hpp"

#include <gtest/gtest.h>

#include "feed_app.hpp"
#include "http/routing/deferred_response.hpp"

namespace tideline::feed {
namespace {

using testing::FeedApp;
using testing::NoDatabase;
using enum ShardPlace::Kind;

class ShardRouterTest : public ::testing::Test {
 protected:
  // A request that stays where it is until it is answered, as at the server.
  http::Response get(const std::string& path, const http::Headers& headers = {}) {
    request = {};
    request.path = path;
    request.headers = headers;
    request.headers.set("Authorization", "Bearer " + app.id_of("ada").to_string());
    request.request_id = "r-1";
    request.correlation_id = "c-1";
    return app.router.dispatch(request);
  }
  // What becomes of the answer that was to come later, and may be so again.
  http::Response finish(const http::Response& response) {
    EXPECT_TRUE(response.deferred && response.deferred->is_given());
    return response.deferred->finish();
  }
  std::string instance_of(const http::Response& response) {
    return std::string(response.headers.find(kInstanceHeader).value_or(""));
  }
  http::Headers passed_on() {
    http::Headers headers;
    headers.set(kPassedOnHeader, "1");
    return headers;
  }
  void look() {
    std::vector<std::function<void()>> due;
    due.swap(app.waiting);
    for (const auto& then : due) then();
  }

  NoDatabase database;
  FeedApp app{database};
  http::Request request;
};

TEST_F(ShardRouterTest, AreAnsweredHereWithTheInstancesName) {
  const auto response = get("/v1/timeline");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(instance_of(response), "feed-0");
  EXPECT_EQ(response.headers.find(kServerHeader), "feed-0");
  EXPECT_EQ(get("/v1/timeline", passed_on()).status, 200);
}

TEST_F(ShardRouterTest, ArePassedOnOnceWithWhatTheyCameWith) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  app.router.set_position_seal(
      {[](std::string_view token) { return "sealed-" + std::string(token); },
       [](std::string_view sealed) -> std::optional<std::string> {
         return sealed == "sealed-" ? std::optional<std::string>("") : std::nullopt;
       }});
  http::Headers headers;
  headers.set("Tideline-Position", "sealed-");
  headers.set("Accept-Encoding", "gzip");
  const auto response = get("/v1/timeline", headers);
  ASSERT_TRUE(response.deferred);
  ASSERT_EQ(app.asked.size(), 1U);
  const auto& [asked, then] = app.asked[0];
  EXPECT_EQ(asked.address, "10.0.0.1:80");
  EXPECT_EQ(asked.path, "/v1/timeline");
  EXPECT_EQ(asked.headers.find(kPassedOnHeader), "1");
  EXPECT_EQ(asked.headers.find("Tideline-Position"), "sealed-") << "as it came";
  EXPECT_EQ(asked.headers.find("Authorization"), request.header("Authorization"));
  EXPECT_EQ(asked.headers.find("X-Request-Id"), "r-1");
  EXPECT_EQ(asked.headers.find("X-Correlation-Id"), "c-1");
  EXPECT_FALSE(asked.headers.find("Accept-Encoding")) << "this edge sees to the form";

  http::Response theirs = http::Response::json(200, {{"items", http::Json::array()}});
  theirs.headers.set("Tideline-Position", "sealed-");
  theirs.headers.set("Content-Length", "12");
  theirs.headers.set("ETag", "\"x\"");
  theirs.headers.set(kInstanceHeader, "feed-1");
  theirs.headers.set(kServerHeader, "feed-1");
  theirs.headers.set(kGoodForHeader, "3000");
  const auto before = core::time_since_boot();
  then(theirs);
  const auto answer = finish(response);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, theirs.body);
  EXPECT_EQ(instance_of(answer), "feed-1");
  EXPECT_EQ(answer.headers.find(kServerHeader), "feed-0") << "which passed it on";
  EXPECT_EQ(answer.headers.find("Tideline-Position"), "sealed-") << "sealed once";
  EXPECT_FALSE(answer.headers.find("Content-Length"));
  EXPECT_FALSE(answer.headers.find("ETag"));
  EXPECT_LE(answer.good_until, before + std::chrono::seconds(3)) << "from when it was asked for";
  EXPECT_GT(answer.good_until, core::time_since_boot());
}

TEST_F(ShardRouterTest, AreGoodForAsLongAsWhatTheyShowMayBeShown) {
  app.status.behind = std::chrono::milliseconds(4'000);
  const auto allowed = [] { return core::time_since_boot() + std::chrono::seconds(1); };
  for (const char* path : {"/v1/timeline", "/v1/timeline/unread"}) {
    const auto earliest = allowed();
    EXPECT_FALSE(get(path).headers.find(kGoodForHeader)) << "nobody's business outside";
    const auto response = get(path, passed_on());
    EXPECT_GE(response.good_until, earliest) << path;
    EXPECT_LE(response.good_until, allowed()) << path;
    const auto good_for = response.headers.find(kGoodForHeader);
    ASSERT_TRUE(good_for) << path;
    EXPECT_LE(std::stoi(std::string(*good_for)), 1'000) << path;
  }
}

TEST_F(ShardRouterTest, PassedOnAreGoodForNothingWhenNobodySaysForHowLong) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline");
  app.asked.back().second(http::Response::json(200, {{"items", http::Json::array()}}));
  EXPECT_LE(finish(response).good_until, core::time_since_boot());
}

TEST_F(ShardRouterTest, AreNotPassedOnTwice) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline", passed_on());
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.headers.find("Retry-After"));
  EXPECT_EQ(instance_of(response), "feed-1") << "whom to ask next time";
  app.place = {};
  EXPECT_EQ(get("/v1/timeline", passed_on()).status, 503) << "nor waited for twice";
  EXPECT_TRUE(app.asked.empty());
  EXPECT_TRUE(app.waiting.empty());
}

TEST_F(ShardRouterTest, WaitForAShardThatIsMoving) {
  app.place = {};
  auto response = get("/v1/timeline");
  look();
  response = finish(response);
  ASSERT_TRUE(response.deferred) << "it still is nowhere";
  app.place = {Here, "feed-0", ""};
  look();
  response = finish(response);
  EXPECT_FALSE(response.deferred);
  EXPECT_EQ(response.status, 200);
}

TEST_F(ShardRouterTest, WaitForSomeLooksAtMost) {
  app.place = {};
  auto response = get("/v1/timeline");
  for (int looks = 0; looks < ShardRouter::kLooksMax; ++looks) {
    ASSERT_TRUE(response.deferred) << looks;
    look();
    response = finish(response);
  }
  EXPECT_FALSE(response.deferred);
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(app.waiting.empty());
}

TEST_F(ShardRouterTest, GoElsewhereWhenTheInstanceHasDied) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline");
  app.asked.back().second(core::unavailable("refused"));
  ASSERT_FALSE(response.deferred->is_given()) << "waits for where its shards come to";
  app.place = {Here, "feed-0", ""};
  look();
  EXPECT_EQ(finish(response).status, 200);
  EXPECT_EQ(app.asked.size(), 1U);
}

TEST_F(ShardRouterTest, GoElsewhereWhenTheInstanceHasJustGivenTheShardUp) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline");
  http::Response theirs = http::Response::json(503, {{"title", "Unavailable"}});
  theirs.headers.set(kServerHeader, "feed-1");
  app.asked.back().second(theirs);
  ASSERT_FALSE(response.deferred->is_given()) << "waits for where it comes to";
  app.place = {Elsewhere, "feed-2", "10.0.0.2:80"};
  look();
  ASSERT_TRUE(finish(response).deferred) << "passed on again";
  EXPECT_EQ(app.asked.back().first.address, "10.0.0.2:80");
}

TEST_F(ShardRouterTest, BringA503BackOfWhoHasTheShardAndCannotAnswer) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline");
  http::Response theirs = http::Response::json(503, {{"title", "Unavailable"}});
  theirs.headers.set(kServerHeader, "feed-1");
  theirs.headers.set(kInstanceHeader, "feed-1");
  app.asked.back().second(theirs);
  EXPECT_EQ(finish(response).status, 503);
  EXPECT_TRUE(app.waiting.empty());
}

TEST_F(ShardRouterTest, AreNotAskedForAgainOfAnInstanceThatDoesNotAnswer) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline");
  app.asked.back().second(core::timed_out("no answer"));
  EXPECT_EQ(finish(response).status, 503);
  EXPECT_TRUE(app.waiting.empty());
}

TEST_F(ShardRouterTest, LiveOnesLeadToTheirInstance) {
  app.place = {Elsewhere, "feed-1", "10.0.0.1:80"};
  const auto response = get("/v1/timeline/stream");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(instance_of(response), "feed-1");
  EXPECT_TRUE(app.asked.empty());
}

TEST_F(ShardRouterTest, LiveOnesEndWhenTheirShardMoves) {
  const auto response = get("/v1/timeline/stream");
  ASSERT_TRUE(response.events);
  app.streams.round();
  EXPECT_TRUE(response.events->is_open());
  app.place = {};
  app.streams.round();
  EXPECT_FALSE(response.events->is_open());
}

}  // namespace
}  // namespace tideline::feed
