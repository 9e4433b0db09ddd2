// Which moment a page shows first, from the routes to the table and back, with a real PostgreSQL.
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;

class PinnedMoments : public ::testing::Test {
 protected:
  PinnedMoments() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    open = publish("public");
    secret = publish("private");
  }

  std::string publish(const std::string& audience) {
    app.clock.advance(std::chrono::minutes(1));
    const auto id = app.publish("ada", {{"content", "hello"}, {"audience", audience}});
    app.deliver();
    return id;
  }
  int send(const std::string& who, Method method, const std::string& id) {
    const int status = app.call(who, method, "/v1/moments/" + id + "/pin").status;
    app.deliver();
    return status;
  }
  // The id of the moment that `who` is shown first on Ada's page; "" for none.
  std::string first_for(const std::string& who) {
    const auto response = app.get(who, "/v1/moments/pinned?author=ada");
    EXPECT_EQ(response.status, 200) << response.body;
    const Json moment = Json::parse(response.body)["moment"];
    return moment.is_null() ? "" : moment["id"].get<std::string>();
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string open, secret;
};

TEST_F(PinnedMoments, AreReplacedAndUnpinned) {
  EXPECT_EQ(first_for("bob"), "");
  EXPECT_EQ(send("ada", Method::Put, open), 204);
  EXPECT_EQ(first_for("ada"), open);
  EXPECT_EQ(first_for("bob"), open);
  const auto other = publish("public");
  EXPECT_EQ(send("ada", Method::Put, other), 204);
  EXPECT_EQ(first_for("cleo"), other);
  EXPECT_EQ(send("ada", Method::Delete, open), 204) << "another one is pinned";
  EXPECT_EQ(first_for("cleo"), other);
  EXPECT_EQ(send("ada", Method::Delete, other), 204);
  EXPECT_EQ(first_for("ada"), "");
}

TEST_F(PinnedMoments, AreTheirAuthorsAlone) {
  for (const Method method : {Method::Put, Method::Delete}) {
    EXPECT_EQ(send("bob", method, open), 403);
    EXPECT_EQ(send("bob", method, secret), 404);
    EXPECT_EQ(send("bob", method, "123"), 404);
    EXPECT_EQ(send("bob", method, "abc"), 404);
  }
  EXPECT_EQ(first_for("ada"), "");
}

TEST_F(PinnedMoments, AreShownToWhoMaySeeThemAtTheTimeOfReading) {
  EXPECT_EQ(send("ada", Method::Put, secret), 204);
  EXPECT_EQ(first_for("ada"), secret);
  EXPECT_EQ(first_for("bob"), "");
  const auto show = [&](const std::string& audience) {
    const auto changed = app.call("ada", Method::Put, "/v1/moments/" + secret + "/audience",
                                  {{"audience", audience}});
    EXPECT_EQ(changed.status, 204) << changed.body;
    app.deliver();
  };
  show("partly-invisible");
  EXPECT_EQ(first_for("bob"), secret);
  EXPECT_EQ(first_for("cleo"), "") << "no contact";
  app.exclude("ada", "bob");
  EXPECT_EQ(first_for("bob"), "");
  show("public");
  EXPECT_EQ(first_for("cleo"), secret);
  app.block("ada", "cleo");
  EXPECT_EQ(app.get("cleo", "/v1/moments/pinned?author=ada").status, 404);
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + secret).status, 204);
  app.deliver();
  EXPECT_EQ(first_for("ada"), "");
}

TEST_F(PinnedMoments, NameTheirAuthor) {
  EXPECT_EQ(app.get("bob", "/v1/moments/pinned").status, 400);
  EXPECT_EQ(app.get("bob", "/v1/moments/pinned?author=nobody").status, 404);
}

}  // namespace
}  // namespace tideline::feed
