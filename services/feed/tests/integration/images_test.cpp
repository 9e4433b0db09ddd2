// Images of moments: one's own alone are published, and whoever may not see the moment may not see
// its images, whatever he knows of them.
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed_database.hpp"
#include "support/pictures.hpp"
#include "uploads/image_header.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using http::Response;
using test_support::picture;
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
  const Response up = app.call("ada", Method::Post, "/v1/images", Json(picture(700, 300)));
  ASSERT_EQ(up.status, 201) << up.body;
  const Json told = Json::parse(up.body);
  const std::string hash = told.at("hash");
  EXPECT_EQ(told.at("media_type"), "image/webp");
  EXPECT_EQ(told.at("width"), 700);
  EXPECT_EQ(told.at("height"), 300);
  const auto moment = publish("public", {hash});
  for (const char* who : {"ada", "bob", "cleo"}) {
    const Response read = image(who, moment, hash);
    EXPECT_EQ(read.status, 200) << who << read.body;
    EXPECT_EQ(uploads::hash_of(read.body), hash);
    EXPECT_EQ(read.headers.find("Content-Type"), "image/webp");
    EXPECT_EQ(read.headers.find("ETag"), "\"" + hash + "\"");
    EXPECT_EQ(read.headers.find("Cache-Control"), "private, no-cache");
  }
  const Response small = image("bob", moment, hash + "?size=small");
  EXPECT_EQ(uploads::read_image_header(small.body),
            (uploads::ImageHeader{uploads::ImageKind::WebP, 160, 69}));
  EXPECT_EQ(small.headers.find("ETag"), "\"" + hash + "-small\"");
  EXPECT_EQ(image("bob", moment, hash + "?size=huge").status, 400);
  EXPECT_EQ(image("ada", moment, uploads::hash_of("another")).status, 404);
  EXPECT_EQ(app.call("ada", Method::Post, "/v1/images", Json("no image")).status, 415);
}

TEST_F(Images, AreShownWithTheirPreviewsAndLinks) {
  const Response up = app.call("ada", Method::Post, "/v1/images", Json(picture(30, 20)));
  Json preview = Json::parse(up.body);
  const std::string hash = preview.at("hash");
  preview.erase("hash");
  preview.erase("media_type");
  const std::string old = uploads::hash_of("of before");
  ASSERT_TRUE(*app.uploads.put(app.id_of("ada"), {"image/png", "of before"}));
  const auto moment = publish("public", {hash, old});
  for (const char* who : {"ada", "bob"}) {
    const Json shown = Json::parse(app.get(who, "/v1/moments/" + moment).body);
    EXPECT_EQ(shown.at("images"), (Json{hash, old}));
    EXPECT_EQ(shown.at("image_previews"), (Json{preview, nullptr}));
    const std::string path = "/v1/moments/" + moment + "/images/";
    EXPECT_EQ(shown.at("image_links"), (Json{app.links->to(path + hash, app.id_of(who)),
                                             app.links->to(path + old, app.id_of(who))}));
  }
  const auto plain = publish("public", {});
  EXPECT_EQ(Json::parse(app.get("bob", "/v1/moments/" + plain).body).at("image_links"),
            Json::array());
}

TEST_F(Images, AreLoadedByALinkForAsLongAsItsReaderMaySeeThem) {
  const std::string hash = app.upload("ada", picture(300, 20));
  const auto moment = publish("partly-invisible", {hash});
  const auto link_of = [&](const std::string& who) {
    const Json shown = Json::parse(app.get(who, "/v1/moments/" + moment).body);
    return shown.at("image_links").at(0).get<std::string>();
  };
  const std::string link = link_of("bob");
  EXPECT_EQ(uploads::hash_of(app.get("", link).body), hash);
  EXPECT_EQ(uploads::read_image_header(app.get("", link + "&size=small").body)->width, 160U);
  EXPECT_EQ(app.get("", "/v1/moments/" + moment + "/images/" + hash).status, 401);
  const std::string own = link_of("ada");
  app.exclude("ada", "bob");
  EXPECT_EQ(app.get("", link).status, 404);
  EXPECT_EQ(app.get("", own).status, 200);
  app.clock.advance(std::chrono::hours(1));
  EXPECT_EQ(app.get("", own).status, 401);
}

TEST_F(Images, FollowTheMomentsAudienceAtOnce) {
  const std::string hash = app.upload("ada", picture(1, 1));
  const auto mine = publish("private", {hash});
  const auto friends = publish("partly-invisible", {hash});
  EXPECT_EQ(image("ada", mine, hash).status, 200);
  EXPECT_EQ(image("bob", mine, hash).status, 404) << "though another moment shows it to him";
  EXPECT_EQ(image("bob", friends, hash).status, 200);
  EXPECT_EQ(image("cleo", friends, hash).status, 404);
  const std::string secret = app.upload("ada", picture(2, 2));
  publish("private", {secret});
  EXPECT_EQ(image("bob", friends, secret).status, 404)
      << "by way of a moment that does not show it";
  app.exclude("ada", "bob");
  EXPECT_EQ(image("bob", friends, hash).status, 404);
}

TEST_F(Images, GoWithTheirMoment) {
  const std::string hash = app.upload("ada", picture(1, 1));
  const auto moment = publish("public", {hash});
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + moment).status, 204);
  app.deliver();
  EXPECT_EQ(image("ada", moment, hash).status, 404);
  EXPECT_EQ(swept_later(), 1);
}

TEST_F(Images, OfAMomentAreKeptByTheSweep) {
  const std::string hash = app.upload("ada", picture(1, 1));
  const auto moment = publish("public", {hash});
  EXPECT_EQ(swept_later(), 0);
  EXPECT_EQ(image("bob", moment, hash).status, 200);
}

TEST_F(Images, AreNotAskedForAgainByARepeatedRequest) {
  const std::string hash = app.upload("ada", picture(1, 1));
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
  const std::string hash = app.upload("ada", picture(1, 1));
  const Json body{{"content", "mine now"}, {"audience", "public"}, {"images", {hash}}};
  const Response stolen = app.post("bob", "/v1/moments", body);
  EXPECT_EQ(stolen.status, 422) << stolen.body;
  EXPECT_NE(stolen.body.find("no-such-image"), std::string::npos);
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(Images, AreNotShownByAnOldVisibility) {
  const std::string hash = app.upload("ada", picture(1, 1));
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
