// Reposts through the routes, on a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed/domain/mentions.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;

class Reposts : public ::testing::Test {
 protected:
  Reposts() {
    for (const std::string name : {"ada", "bob", "cleo", "dora"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("bob", "cleo");
    original = publish("ada", {{"content", "the original"}, {"audience", "public"}});
    reposted = publish("bob", {{"repost_of", original}, {"audience", "public"}});
  }

  std::string publish(const std::string& who, const Json& moment) {
    const auto id = app.publish(who, moment);
    deliver();
    return id;
  }
  void deliver() {
    app.deliver();
    app.clock.advance(std::chrono::minutes(1));
  }
  Json repost_in(const std::string& reader, const std::string& id) {
    const auto response = app.get(reader, "/v1/moments/" + id);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body)["repost"];
  }
  // What the reader finds in the repost; "" where it is not available.
  std::string inside(const std::string& reader) {
    const Json repost = repost_in(reader, reposted);
    return repost["moment"].is_null() ? "" : repost["moment"]["content"];
  }
  void change(const std::string& id, const char* audience) {
    const auto path = "/v1/moments/" + id + "/audience";
    EXPECT_EQ(app.call("ada", Method::Put, path, {{"audience", audience}}).status, 204);
    deliver();
  }
  std::string problem(const std::string& who, const Json& moment) {
    const auto response = app.post(who, "/v1/moments", moment);
    EXPECT_GE(response.status, 400);
    const std::string type = Json::parse(response.body)["type"];
    return type.substr(type.rfind(':') + 1);
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string original, reposted;
};

TEST_F(Reposts, ShowTheOriginalToItsReaders) {
  EXPECT_EQ(repost_in("bob", original), nullptr);
  for (const std::string reader : {"ada", "bob", "cleo", "dora"}) {
    const Json shown = repost_in(reader, reposted)["moment"];
    EXPECT_EQ(shown["id"], original);
    EXPECT_EQ(shown["content"], "the original");
    EXPECT_EQ(shown["author"]["user_id"], "ada");
    EXPECT_EQ(shown["repost"], nullptr);
    EXPECT_EQ(shown["audience"].is_null(), reader != "ada") << reader;
  }
}

TEST_F(Reposts, LoseTheOriginalWithTheRightToSeeIt) {
  change(original, "private");
  EXPECT_EQ(inside("cleo"), "");
  EXPECT_EQ(repost_in("cleo", reposted), Json({{"moment", nullptr}})) << "nor an id";
  EXPECT_EQ(inside("ada"), "the original");
  change(original, "partly-invisible");
  EXPECT_EQ(inside("cleo"), "") << "Cleo is no contact of Ada's";
  EXPECT_EQ(inside("bob"), "the original");
  change(original, "public");
  EXPECT_EQ(inside("cleo"), "the original");
  app.exclude("ada", "cleo");
  EXPECT_EQ(inside("cleo"), "");
  app.block("dora", "ada");
  EXPECT_EQ(inside("dora"), "");
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + original).status, 204);
  deliver();
  for (const std::string reader : {"ada", "bob", "cleo", "dora"}) EXPECT_EQ(inside(reader), "");
}

TEST_F(Reposts, LoseTheOriginalWithItsAuthor) {
  app.tell("accounts", "AccountClosed", {{"account_id", app.id_of("ada").to_string()}});
  EXPECT_EQ(inside("cleo"), "");
}

TEST_F(Reposts, OfARepostPointAtTheOriginal) {
  const auto again =
      publish("cleo", {{"repost_of", reposted}, {"content", "me too"}, {"audience", "public"}});
  EXPECT_EQ(repost_in("dora", again)["moment"]["id"], original);
  EXPECT_EQ(app.call("bob", Method::Delete, "/v1/moments/" + reposted).status, 204);
  deliver();
  EXPECT_EQ(repost_in("dora", again)["moment"]["id"], original);
}

TEST_F(Reposts, AreOfWhatEverybodyMaySee) {
  const Json repost{{"repost_of", original}, {"audience", "public"}};
  EXPECT_EQ(problem("cleo", {{"repost_of", "1"}, {"audience", "public"}}), "no-such-moment");
  change(original, "partly-invisible");
  EXPECT_EQ(problem("bob", repost), "not-public");
  EXPECT_EQ(problem("dora", repost), "no-such-moment");
  EXPECT_EQ(problem("dora", {{"repost_of", reposted}, {"audience", "public"}}), "no-such-moment");
  change(original, "public");
  app.block("ada", "dora");
  EXPECT_EQ(problem("dora", repost), "no-such-moment");
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + original).status, 204);
  deliver();
  EXPECT_EQ(problem("bob", repost), "no-such-moment");
}

TEST_F(Reposts, AreToldToTheOriginalsAuthorWhoMaySeeThem) {
  const auto hidden = publish("bob", {{"repost_of", original}, {"audience", "private"}});
  publish("ada", {{"repost_of", original}, {"audience", "public"}});
  const auto told = [&] {
    const Json found = Json::parse(app.get("ada", "/v1/notifications").body);
    std::vector<std::string> moments;
    for (const auto& item : found["items"]) {
      if (item["kind"] == "repost") moments.push_back(item["moment_id"]);
    }
    return moments;
  };
  EXPECT_EQ(told(), std::vector{reposted});
  EXPECT_EQ(app.call("bob", Method::Delete, "/v1/moments/" + reposted).status, 204);
  deliver();
  EXPECT_EQ(told(), std::vector<std::string>{});
}

TEST_F(Reposts, OfStrangersAreBoundedADay) {
  const Json repost{{"repost_of", original}, {"audience", "private"}};
  for (int i = 0; i < kAddressingsADay; ++i) app.publish("cleo", repost);
  EXPECT_EQ(problem("cleo", repost), "address-limit-reached");
  app.publish("bob", repost);
}

TEST_F(Reposts, AreExportedAndGoWithTheMoment) {
  const Json exported = Json::parse(app.get("bob", "/v1/feed-export").body)["items"];
  ASSERT_GE(exported.size(), 1U);
  EXPECT_EQ(exported[0]["data"]["repost_of"], original);
  EXPECT_EQ(app.call("bob", Method::Delete, "/v1/moments/" + reposted).status, 204);
  deliver();
  const auto kept = tables.database.read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT 1 FROM moment WHERE repost_of IS NOT NULL").size();
  });
  EXPECT_EQ(*kept, 0U);
}

}  // namespace
}  // namespace tideline::feed
