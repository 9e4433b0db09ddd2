// Mentions through the routes, on a real PostgreSQL.
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
using Texts = std::vector<std::string>;

class MentionsInPages : public ::testing::Test {
 protected:
  MentionsInPages() {
    for (const std::string name : {"ada", "bob", "cleo", "dora"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
  }

  std::string publish(const std::string& who, const Json& mentions, const char* audience) {
    const auto id =
        app.publish(who, {{"content", "see you"}, {"audience", audience}, {"mentions", mentions}});
    deliver();
    return id;
  }
  void deliver() {
    app.deliver();
    app.clock.advance(std::chrono::minutes(1));
  }
  static Texts names(const Json& people) {
    Texts texts;
    for (const auto& person : people) texts.push_back(person["user_id"]);
    return texts;
  }
  Texts mentioned(const std::string& reader, const std::string& moment) {
    const auto response = app.get(reader, "/v1/moments/" + moment);
    EXPECT_EQ(response.status, 200) << response.body;
    return names(Json::parse(response.body)["mentions"]);
  }
  Texts told(const std::string& who) {
    const auto response = app.get(who, "/v1/notifications");
    EXPECT_EQ(response.status, 200) << response.body;
    const Json found = Json::parse(response.body);
    Texts texts;
    for (const auto& item : found["items"]) {
      if (item["kind"] != "mention") continue;
      const Json comment = item["comment_id"];
      texts.push_back(item["moment_id"].get<std::string>() +
                      (comment.is_null() ? "" : "/" + comment.get<std::string>()));
    }
    return texts;
  }
  std::string problem(const std::string& who, const std::string& path, Json body) {
    const auto response = app.post(who, path, body);
    EXPECT_GE(response.status, 400);
    return Json::parse(response.body)["type"];
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(MentionsInPages, AreSeenByAllReadersOfAMoment) {
  const auto id = publish("ada", {"bob", "dora", "bob"}, "public");
  for (const std::string reader : {"ada", "bob", "cleo", "dora"}) {
    EXPECT_EQ(mentioned(reader, id), (Texts{"bob", "dora"})) << reader;
    EXPECT_EQ(told(reader), reader == "bob" || reader == "dora" ? Texts{id} : Texts{}) << reader;
  }
  const auto plain = publish("ada", nullptr, "public");
  EXPECT_EQ(mentioned("bob", plain), Texts{});
}

TEST_F(MentionsInPages, AreToldToWhoMayReadTheTextAsLongAsHeMay) {
  const auto hidden = publish("ada", {"bob", "dora"}, "private");
  EXPECT_EQ(told("bob"), Texts{});
  const auto change = [&](const char* audience) {
    const auto path = "/v1/moments/" + hidden + "/audience";
    EXPECT_EQ(app.call("ada", Method::Put, path, {{"audience", audience}}).status, 204);
    deliver();
  };
  change("partly-invisible");
  EXPECT_EQ(told("bob"), Texts{hidden});
  EXPECT_EQ(told("dora"), Texts{}) << "a stranger may not see it";
  change("public");
  EXPECT_EQ(told("dora"), Texts{hidden});
  app.block("dora", "ada");
  EXPECT_EQ(told("dora"), Texts{});
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + hidden).status, 204);
  deliver();
  EXPECT_EQ(told("bob"), Texts{});
}

TEST_F(MentionsInPages, OfCommentsAreForThoseWhoMeetThem) {
  const auto id = publish("ada", nullptr, "public");
  const auto by_bob =
      app.comment("bob", id, {{"text", "look"}, {"mentions", {"cleo", "ada", "dora"}}});
  deliver();
  const auto read = [&](const std::string& who) {
    const auto response = app.get(who, "/v1/moments/" + id + "/comments");
    return Json::parse(response.body)["items"];
  };
  ASSERT_EQ(read("ada").size(), 1U);
  EXPECT_EQ(names(read("ada")[0]["mentions"]), (Texts{"cleo", "ada", "dora"}));
  EXPECT_EQ(told("ada"), Texts{}) << "it is told as a comment";
  EXPECT_EQ(told("cleo"), Texts{}) << "Cleo does not meet Bob";
  app.befriend("bob", "cleo");
  EXPECT_EQ(told("cleo"), Texts{id + "/" + by_bob});
  const auto by_author = app.comment("ada", id, {{"text", "you"}, {"mentions", {"dora"}}});
  deliver();
  EXPECT_EQ(told("dora"), Texts{id + "/" + by_author}) << "everybody meets the author";
  const auto path = "/v1/moments/" + id + "/comments/" + by_author;
  EXPECT_EQ(app.call("ada", Method::Delete, path).status, 204);
  deliver();
  EXPECT_EQ(told("dora"), Texts{});
}

TEST_F(MentionsInPages, AreOfPeopleWhoAreThereAndNotApart) {
  const auto id = publish("ada", nullptr, "public");
  const std::string comments = "/v1/moments/" + id + "/comments";
  app.block("cleo", "ada");
  app.block("ada", "dora");
  for (const auto& [who, type] : {std::pair{"eve", "no-such-person"},
                                  {"cleo", "no-such-person"},
                                  {"dora", "person-blocked"}}) {
    const Json mentions{who};
    const std::string expected = std::string("urn:tideline:problem:") + type;
    EXPECT_EQ(problem("ada", "/v1/moments",
                      {{"content", "x"}, {"audience", "private"}, {"mentions", mentions}}),
              expected);
    EXPECT_EQ(problem("ada", comments, {{"text", "x"}, {"mentions", mentions}}), expected);
  }
}

TEST_F(MentionsInPages, OfStrangersAreBoundedADay) {
  const Json to_stranger{{"content", "x"}, {"audience", "private"}, {"mentions", {"dora", "ada"}}};
  const Json to_contact{{"content", "x"}, {"audience", "private"}, {"mentions", {"bob", "ada"}}};
  for (int i = 0; i < kAddressingsADay; ++i) app.publish("ada", to_stranger);
  EXPECT_EQ(problem("ada", "/v1/moments", to_stranger),
            "urn:tideline:problem:address-limit-reached");
  app.publish("ada", to_contact);
  app.clock.advance(std::chrono::days(1));
  app.publish("ada", to_stranger);
}

TEST_F(MentionsInPages, LeaveOutWhoHasLeftAndGoWithTheText) {
  const auto id = publish("ada", {"bob", "cleo"}, "public");
  const auto comment = app.comment("ada", id, {{"text", "x"}, {"mentions", {"bob", "cleo"}}});
  deliver();
  const auto exported = app.get("ada", "/v1/feed-export");
  const Json items = Json::parse(exported.body)["items"];
  ASSERT_GE(items.size(), 2U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(items[i]["data"]["mentions"], Json({"bob", "cleo"}));
  const auto count = [&] {
    return *tables.database.read([](sql::Transaction& transaction) {
      return transaction
          .execute(
              "SELECT (SELECT count(*) FROM moment WHERE mentions <> '{}') + "
              "(SELECT count(*) FROM moment_comment WHERE mentions <> '{}')")
          .front()
          .integer(0);
    });
  };
  EXPECT_EQ(count(), 2);
  const auto left = tables.database.transact([&](sql::Transaction& transaction) {
    for (const char* table : {"person_profile", "person"}) {
      transaction.execute(std::string("DELETE FROM ") + table + " WHERE account_id = $1::uuid",
                          {app.id_of("bob")});
    }
  });
  EXPECT_TRUE(left.ok());
  app.contents.drop_names({});
  EXPECT_EQ(mentioned("cleo", id), Texts{"cleo"});
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + id + "/comments/" + comment).status,
            204);
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + id).status, 204);
  deliver();
  EXPECT_EQ(count(), 0);
}

}  // namespace
}  // namespace tideline::feed
