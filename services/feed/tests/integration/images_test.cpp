// Images of moments: one's own alone are published, and whoever may not see the moment may not see
// its images, whatever he knows of them.
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed_database.hpp"
#include "support/sample_images.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using http::Response;
using test_support::png;
using testing::FeedApp;
using testing::FeedDatabase;

class Images : public ::testing::Test {
 protected:
  Images() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
  }

  std::string publish(const std::string& audience, const std::vector<std::string>& images) {
    app.clock.advance(std::chrono::milliseconds(1));
    const auto id =
        app.publish("ada", {{"content", "look"}, {"audience", audience}, {"images", images}});
    app.deliver();
    return id;
  }
  Response image(const std::string& who, const std::string& moment, const std::string& hash,
                 const FeedApp::Extra& extra = {}) {
    return app.get(who, "/v1/moments/" + moment + "/images/" + hash, extra);
  }
  // A sweep of two days later: how many uploads went.
  std::int64_t swept_later() {
    const auto aged = tables.database.transact([](sql::Transaction& transaction) {
      transaction.execute("UPDATE upload SET held_at = held_at - interval '2 days'");
    });
    EXPECT_TRUE(aged.ok());
    const auto gone = uploads::sweep(tables.database, {"feed", kReferencedUploadsSql});
    EXPECT_TRUE(gone.ok());
    return gone.ok() ? *gone : -1;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(Images, AreUploadedPublishedAndRead) {
  const Response up = app.call("ada", Method::Post, "/v1/images", Json(png(4, 3)));
  EXPECT_EQ(up.status, 201) << up.body;
  const std::string hash = uploads::hash_of(png(4, 3));
  EXPECT_EQ(Json::parse(up.body),
            (Json{{"hash", hash}, {"media_type", "image/png"}, {"width", 4}, {"height", 3}}));
  const auto moment = publish("public", {hash});
  for (const char* who : {"ada", "bob", "cleo"}) {
    const Response read = image(who, moment, hash);
    EXPECT_EQ(read.status, 200) << who << read.body;
    EXPECT_EQ(read.body, png(4, 3));
    EXPECT_EQ(read.headers.find("Content-Type"), "image/png");
    EXPECT_EQ(read.headers.find("ETag"), "\"" + hash + "\"");
    EXPECT_EQ(read.headers.find("Cache-Control"), "private, no-cache");
  }
  EXPECT_EQ(image("ada", moment, uploads::hash_of("another")).status, 404);
  EXPECT_EQ(app.call("ada", Method::Post, "/v1/images", Json("no image")).status, 415);
}

TEST_F(Images, FollowTheMomentsAudienceAtOnce) {
  const std::string hash = app.upload("ada", png(1, 1));
  const auto mine = publish("private", {hash});
  const auto friends = publish("partly-invisible", {hash});
  EXPECT_EQ(image("ada", mine, hash).status, 200);
  EXPECT_EQ(image("bob", mine, hash).status, 404) << "though another moment shows it to him";
  EXPECT_EQ(image("bob", friends, hash).status, 200);
  EXPECT_EQ(image("cleo", friends, hash).status, 404);
  const std::string secret = app.upload("ada", png(2, 2));
  publish("private", {secret});
  EXPECT_EQ(image("bob", friends, secret).status, 404)
      << "by way of a moment that does not show it";
  app.exclude("ada", "bob");
  EXPECT_EQ(image("bob", friends, hash).status, 404);
}

TEST_F(Images, GoWithTheirMoment) {
  const std::string hash = app.upload("ada", png(1, 1));
  const auto moment = publish("public", {hash});
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + moment).status, 204);
  app.deliver();
  EXPECT_EQ(image("ada", moment, hash).status, 404);
  EXPECT_EQ(swept_later(), 1);
}

TEST_F(Images, OfAMomentAreKeptByTheSweep) {
  const std::string hash = app.upload("ada", png(1, 1));
  const auto moment = publish("public", {hash});
  EXPECT_EQ(swept_later(), 0);
  EXPECT_EQ(image("bob", moment, hash).status, 200);
}

TEST_F(Images, AreNotAskedForAgainByARepeatedRequest) {
  const std::string hash = app.upload("ada", png(1, 1));
  const Json body{{"content", "look"}, {"audience", "public"}, {"images", {hash}}};
  const FeedApp::Extra key{.position = "", .idempotency_key = "once"};
  const auto moment = app.publish("ada", body, key);
  app.deliver();
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + moment).status, 204);
  app.deliver();
  EXPECT_EQ(swept_later(), 1);
  EXPECT_EQ(app.publish("ada", body, key), moment);
  EXPECT_EQ(app.post("ada", "/v1/moments", body).status, 422) << "another one names what is gone";
}

// Bob has seen the hash, in ada's moment; it does not make the image his.
TEST_F(Images, OfOthersCannotBePublishedByTheirHash) {
  const std::string hash = app.upload("ada", png(1, 1));
  const Json body{{"content", "mine now"}, {"audience", "public"}, {"images", {hash}}};
  const Response stolen = app.post("bob", "/v1/moments", body);
  EXPECT_EQ(stolen.status, 422) << stolen.body;
  EXPECT_NE(stolen.body.find("no-such-image"), std::string::npos);
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(Images, AreNotShownByAnOldVisibility) {
  const std::string hash = app.upload("ada", png(1, 1));
  const auto moment = publish("public", {hash});
  eventsourcing::PositionVector unseen;
  unseen.raise("social-graph", core::LogIndex(0), core::LogPosition(50));
  const FeedApp::Extra behind{.position = unseen.to_token(), .idempotency_key = ""};
  EXPECT_EQ(image("bob", moment, hash, behind).status, 503) << "bob may have been excluded there";
  app.status.behind = std::chrono::seconds(60);
  EXPECT_EQ(image("bob", moment, hash).status, 503);
}

}  // namespace
}  // namespace tideline::feed
