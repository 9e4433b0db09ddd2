// Topics from the routes to the index and back, with a real PostgreSQL: their pages are exactly the
// moments that name them and may be seen, and a trend takes several authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "../feed_app.hpp"
#include "feed/projections/search/topic_queries.hpp"
#include "feed_database.hpp"
#include "search/topics.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;
using Texts = std::vector<std::string>;

class Topics : public ::testing::Test {
 protected:
  Topics() {
    for (const std::string name : {"ada", "bob", "cleo", "dan"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
  }

  std::string publish(const std::string& who, const std::string& content,
                      const std::string& audience = "public") {
    app.clock.advance(std::chrono::minutes(1));
    const auto id = app.publish(who, {{"content", content}, {"audience", audience}});
    app.deliver();
    return id;
  }
  void change(const std::string& who, Method method, const std::string& path, const Json& body) {
    app.clock.advance(std::chrono::seconds(1));
    const auto changed = app.call(who, method, "/v1/moments/" + path, body);
    EXPECT_EQ(changed.status, 204) << changed.body;
    app.deliver();
  }
  Texts page(const std::string& who, const std::string& topic, int limit = 20) {
    Texts found;
    std::string after;
    for (;;) {
      const auto response = app.get(
          who, "/v1/moments/topic?name=" + topic + "&limit=" + std::to_string(limit) + after);
      EXPECT_EQ(response.status, 200) << response.body;
      const Json read = Json::parse(response.body);
      for (const auto& item : read["items"]) found.push_back(item["content"]);
      if (read["after"].is_null()) return found;
      after = "&after=" + read["after"].get<std::string>();
    }
  }
  Texts trends(const std::string& who) {
    const auto response = app.get(who, "/v1/moments/topics");
    EXPECT_EQ(response.status, 200) << response.body;
    const Json read = Json::parse(response.body);
    Texts found;
    for (const auto& item : read["items"]) found.push_back(item["topic"]);
    return found;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(Topics, HavePagesOfWhatMayBeSeen) {
  publish("ada", "the #Exam is over");
  publish("ada", "exam without a sign");
  const auto secret = publish("ada", "my #exam went badly", "private");
  publish("bob", "＃ＥＸＡＭ, for contacts", "partly-invisible");
  EXPECT_EQ(page("ada", "exam"),
            (Texts{"＃ＥＸＡＭ, for contacts", "my #exam went badly", "the #Exam is over"}));
  EXPECT_EQ(page("cleo", "#EXAM"), Texts{"the #Exam is over"});
  EXPECT_EQ(page("cleo", "exa"), Texts{}) << "a part of it is another topic";
  EXPECT_EQ(page("cleo", "two words"), Texts{});
  change("ada", Method::Put, secret + "/audience", {{"audience", "public"}});
  EXPECT_EQ(page("cleo", "exam"), (Texts{"my #exam went badly", "the #Exam is over"}));
  change("ada", Method::Patch, secret, {{"content", "my exam went badly"}});
  EXPECT_EQ(page("cleo", "exam"), Texts{"the #Exam is over"});
  app.block("ada", "cleo");
  EXPECT_EQ(page("cleo", "exam"), Texts{});
  app.tell("accounts", "AccountClosed", {{"account_id", app.id_of("ada").to_string()}});
  EXPECT_EQ(page("bob", "exam"), Texts{"＃ＥＸＡＭ, for contacts"});
}

TEST_F(Topics, AreNamedInARequest) {
  for (const auto& query : Texts{"", "?name=", "?name=" + std::string(52, 'x')}) {
    EXPECT_EQ(app.get("ada", "/v1/moments/topic" + query).status, 400) << query;
  }
}

TEST_F(Topics, AreATrendOnceThreeAuthorsHaveThem) {
  for (int i = 0; i < 5; ++i) publish("ada", "#tide #exam");
  publish("bob", "#tide #exam");
  EXPECT_EQ(trends("dan"), Texts{});
  publish("cleo", "#Tide", "private");
  EXPECT_EQ(trends("dan"), Texts{}) << "of public moments alone";
  const auto third = publish("cleo", "#tide");
  EXPECT_EQ(trends("dan"), Texts{"tide"});
  change("cleo", Method::Put, third + "/audience", {{"audience", "private"}});
  EXPECT_EQ(trends("dan"), Texts{});
  change("cleo", Method::Put, third + "/audience", {{"audience", "public"}});
  EXPECT_EQ(trends("dan"), Texts{"tide"});
  app.tell("accounts", "AccountClosed", {{"account_id", app.id_of("bob").to_string()}});
  app.deliver();
  EXPECT_EQ(trends("dan"), Texts{});
}

TEST_F(Topics, AreNotNamedToWhomMaySeeNothingOfThem) {
  for (const std::string who : {"ada", "bob", "cleo"}) publish(who, "#tide");
  for (const std::string who : {"ada", "bob"}) app.exclude(who, "dan");
  EXPECT_EQ(trends("dan"), Texts{"tide"});
  app.exclude("cleo", "dan");
  EXPECT_EQ(trends("dan"), Texts{});
  EXPECT_EQ(trends("bob"), Texts{"tide"});
}

TEST_F(Topics, CountAnAuthorOnceADayAndLaterDaysMore) {
  for (const std::string who : {"ada", "bob", "cleo", "dan"}) publish(who, "#old");
  for (int i = 0; i < 9; ++i) {
    for (const std::string who : {"ada", "bob", "cleo"}) publish(who, "#pushed");
  }
  EXPECT_EQ(trends("dan"), (Texts{"old", "pushed"})) << "four authors are more than three";
  app.clock.advance(std::chrono::days(2));
  for (const std::string who : {"ada", "bob", "cleo"}) publish(who, "#new");
  EXPECT_EQ(trends("dan"), (Texts{"new", "old", "pushed"}));
  app.clock.advance(std::chrono::days(kTrendDays - 2));
  publish("ada", "nothing");
  EXPECT_EQ(trends("dan"), Texts{"new"}) << "what is older than that counts no more";
}

// Whatever is written, edited, shown to others and deleted: the page of a topic has exactly those
// of the moments that can be read by their ids and name it.
TEST_F(Topics, HaveExactPagesInRandomHistories) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  app.compares = false;
  const Texts parts{"#exam", "#tide", "＃考试", "exam", "#Exam#", "tide", "#exams"};
  const Texts audiences{"public", "private", "partly-visible", "partly-invisible"};
  const Texts authors{"ada", "bob"};
  std::vector<std::pair<std::string, std::string>> moments;  // id, author
  const auto text = [&] { return parts[random() % 7] + " " + parts[random() % 7]; };
  for (int step = 0; step < 60; ++step) {
    app.clock.advance(std::chrono::seconds(30));
    if (moments.empty() || random() % 2 == 0) {
      const auto& author = authors[random() % 2];
      moments.emplace_back(
          app.publish(author, {{"content", text()}, {"audience", audiences[random() % 4]}}),
          author);
    } else {
      const auto& [id, author] = moments[random() % moments.size()];
      const std::string path = "/v1/moments/" + id;
      const auto what = random() % 5;
      if (what == 0) app.call(author, Method::Delete, path);
      if (what == 1 || what == 2) app.call(author, Method::Patch, path, {{"content", text()}});
      if (what > 2) {
        app.call(author, Method::Put, path + "/audience", {{"audience", audiences[random() % 4]}});
      }
    }
    if (random() % 4 != 0) continue;
    app.deliver();
    for (const std::string who : {"ada", "bob", "cleo"}) {
      Texts expected;
      for (auto moment = moments.rbegin(); moment != moments.rend(); ++moment) {
        const auto read = app.get(who, "/v1/moments/" + moment->first);
        if (read.status != 200) continue;
        const std::string content = Json::parse(read.body)["content"];
        for (const auto& topic : search::topics_of(content)) {
          if (topic.key == "exam") expected.push_back(content);
        }
      }
      ASSERT_EQ(page(who, "exam", 1 + static_cast<int>(random() % 4)), expected) << who;
    }
  }
}

}  // namespace
}  // namespace tideline::feed
