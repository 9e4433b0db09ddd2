// What a person can take along of feed, from the routes to the tables and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "../feed_app.hpp"
#include "feed_database.hpp"
#include "support/pictures.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using ::testing::ElementsAre;
using testing::FeedApp;
using testing::FeedDatabase;

class Export : public ::testing::Test {
 protected:
  Export() {
    for (const std::string name : {"ada", "bob"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
  }

  std::string publish(const std::string& who, const Json& moment) {
    app.clock.advance(std::chrono::minutes(1));
    const auto id = app.publish(who, moment);
    app.deliver();
    return id;
  }
  void done(const std::string& who, Method method, const std::string& path,
            const Json& body = nullptr) {
    app.clock.advance(std::chrono::minutes(1));
    const auto response = app.call(who, method, path, body);
    EXPECT_LT(response.status, 300) << path << ": " << response.body;
    app.deliver();
  }
  std::string send(const std::string& text) {
    app.clock.advance(std::chrono::minutes(1));
    const auto sent = app.post("ada", "/v1/messages", {{"to", "bob"}, {"text", text}});
    EXPECT_EQ(sent.status, 201) << sent.body;
    app.deliver();
    return Json::parse(sent.body).at("key");
  }
  // By section.
  std::map<std::string, std::vector<Json>> whole(const std::string& who, int limit) {
    std::map<std::string, std::vector<Json>> sections;
    std::string after;
    do {
      app.clock.advance(std::chrono::minutes(1));
      const auto read = app.get(who, "/v1/feed-export?limit=" + std::to_string(limit) + after);
      EXPECT_EQ(read.status, 200) << read.body;
      if (read.status != 200) break;
      const Json page = Json::parse(read.body);
      for (const Json& item : page.at("items")) {
        sections[item.at("section")].push_back(item.at("data"));
      }
      after = page.at("after").is_null() ? "" : "&after=" + page.at("after").get<std::string>();
    } while (!after.empty());
    return sections;
  }
  std::vector<std::string> texts(const std::vector<Json>& items, const char* field) {
    std::vector<std::string> found;
    for (const Json& item : items) found.push_back(item.at(field));
    return found;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(Export, HasAllThatOneHasWrittenAndNothingOfOthers) {
  app.compares = false;  // each page is counted against its reader
  const auto image = app.upload("ada", test_support::picture(4, 4));
  const auto listed = publish("ada", {{"content", "first"},
                                      {"audience", "partly-visible"},
                                      {"user_ids", {"bob"}},
                                      {"images", {image}}});
  const auto edited = publish("ada", {{"content", "draft"}, {"audience", "private"}});
  done("ada", Method::Patch, "/v1/moments/" + edited, {{"content", "final"}});
  const auto deleted = publish("ada", {{"content", "gone"}, {"audience", "public"}});
  done("ada", Method::Delete, "/v1/moments/" + deleted);
  const auto of_bob = publish("bob", {{"content", "of bob"}, {"audience", "public"}});
  const auto unliked = publish("bob", {{"content", "of bob"}, {"audience", "public"}});
  for (const char* text : {"one", "two", "three"}) {
    app.clock.advance(std::chrono::minutes(1));
    const auto id = app.comment("ada", of_bob, {{"text", text}});
    app.deliver();
    if (text == std::string("two")) {
      done("ada", Method::Delete, "/v1/moments/" + of_bob + "/comments/" + id);
    }
  }
  for (const auto& id : {of_bob, unliked}) done("ada", Method::Put, "/v1/moments/" + id + "/like");
  done("ada", Method::Delete, "/v1/moments/" + unliked + "/like");
  done("ada", Method::Put, "/v1/moments/" + of_bob + "/bookmark");
  const auto recalled = send("not so");
  done("ada", Method::Delete, "/v1/messages/" + recalled);
  send("hello");
  send("and bye");

  for (const int limit : {1, 2, 100}) {
    SCOPED_TRACE(limit);
    auto sections = whole("ada", limit);
    ASSERT_THAT(texts(sections["moments"], "id"), ElementsAre(listed, edited));
    EXPECT_THAT(texts(sections["moments"][1]["texts"], "content"), ElementsAre("draft", "final"));
    const Json& first = sections["moments"][0];
    EXPECT_EQ(first["user_ids"], Json({"bob"}));
    EXPECT_EQ(first["images"], Json({image}));
    EXPECT_THAT(texts(sections["comments"], "text"), ElementsAre("one", "three"));
    EXPECT_THAT(texts(sections["likes"], "moment_id"), ElementsAre(of_bob));
    EXPECT_THAT(texts(sections["bookmarks"], "moment_id"), ElementsAre(of_bob));
    EXPECT_THAT(texts(sections["messages"], "text"), ElementsAre("hello", "and bye"));
    EXPECT_EQ(sections["message_settings"].size(), 1U);
  }
  auto of_other = whole("bob", 100);
  EXPECT_THAT(texts(of_other["moments"], "id"), ElementsAre(of_bob, unliked));
  EXPECT_TRUE(of_other["messages"].empty());
}

TEST_F(Export, TakesNoCursorOfSomethingElse) {
  EXPECT_EQ(app.get("", "/v1/feed-export").status, 401);
  EXPECT_EQ(app.get("ada", "/v1/feed-export?after=x").status, 400);
}

}  // namespace
}  // namespace tideline::feed
