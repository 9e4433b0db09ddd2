// Pages out of memory: they ask no table, and hold nothing that was taken away. That they say what
// the tables say is asked at every read of every test (feed_app.hpp).
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed_database.hpp"
#include "http/routing/position_waits.hpp"
#include "support/pictures.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::FeedApp;
using testing::FeedDatabase;

// Counts what is read, and lets something happen between a read and what is made of it.
class WatchedDatabase final : public sql::Database {
 public:
  explicit WatchedDatabase(sql::Database& inner) : inner_(inner) {}

  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    return inner_.transact(work);
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    ++reads;
    auto done = inner_.snapshot(work);
    if (meanwhile) std::exchange(meanwhile, nullptr)();
    return done;
  }
  int reads = 0;
  std::function<void()> meanwhile;  // once

 private:
  sql::Database& inner_;
};

class RememberedPages : public ::testing::Test {
 protected:
  RememberedPages() {
    for (const std::string name : {"ada", "bob"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    id = app.publish("ada", {{"content", "hello"}, {"audience", "public"}});
    app.deliver();
    app.compares = false;
  }

  Json first_item(const std::string& who, const std::string& path = "/v1/timeline") {
    const auto response = app.get(who, path);
    EXPECT_EQ(response.status, 200) << response.body;
    const Json items = Json::parse(response.body)["items"];
    return items.empty() ? Json() : items[0];
  }
  // How often the tables are asked for a page.
  int reads_of(const std::string& who, const std::string& path = "/v1/timeline") {
    const int before = watched.reads;
    first_item(who, path);
    return watched.reads - before;
  }
  std::size_t remembered() const { return app.contents.counts().moments; }

  FeedDatabase tables;
  WatchedDatabase watched{tables.database};
  FeedApp app{watched};
  std::string id;
};

TEST_F(RememberedPages, AskNoTable) {
  EXPECT_EQ(reads_of("bob"), 1);
  EXPECT_EQ(reads_of("bob"), 0);
  EXPECT_EQ(reads_of("ada"), 0) << "who it is shown to makes no difference";
  EXPECT_EQ(reads_of("bob", "/v1/moments?author=ada"), 0);
  EXPECT_EQ(first_item("ada")["audience"], "public");
  EXPECT_EQ(first_item("bob")["audience"], nullptr);
}

TEST_F(RememberedPages, HaveEachMomentOnceWhereOnlyTheNewestIsRemembered) {
  const std::string next = app.publish("ada", {{"content", "next"}, {"audience", "public"}});
  app.deliver();
  EXPECT_EQ(app.get("bob", "/v1/moments/" + next).status, 200);
  ASSERT_EQ(remembered(), 1U);
  app.compares = true;
  const auto items = Json::parse(app.get("bob", "/v1/timeline").body)["items"];
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0]["content"], "next");
  EXPECT_EQ(items[1]["content"], "hello");
}

// Of what the engine shows already: no worker waits, and not for longer than requests may.
TEST_F(RememberedPages, WaitForTheTablesWithoutAWorker) {
  http::PositionWaits waits;
  http::Request request;
  request.path = "/v1/timeline";
  request.headers.set("Authorization", "Bearer " + app.id_of("bob").to_string());
  request.position_waits = &waits;
  const auto publish = [&](const std::string& text) {
    app.publish("ada", {{"content", text}, {"audience", "public"}});
    const auto events = app.deliver_to_engine();
    app.forget_words_of("ada");
    return events;
  };
  const auto events = publish("next");
  const auto waiting = app.router.dispatch(request);
  ASSERT_TRUE(waiting.deferred);
  EXPECT_FALSE(waiting.deferred->is_given());
  app.write_tables(events);
  EXPECT_TRUE(waiting.deferred->is_given());
  const auto answered = app.router.dispatch(request);
  ASSERT_EQ(answered.status, 200) << answered.body;
  EXPECT_EQ(Json::parse(answered.body)["items"].size(), 2U);

  publish("last");
  request.position_wait.until = std::chrono::steady_clock::now();
  EXPECT_EQ(app.router.dispatch(request).status, 503);
}

TEST_F(RememberedPages, NameWhomTheirAuthorHasListedAlsoBehindOtherMoments) {
  const Json listed{{"content", "you"}, {"audience", "partly-visible"}, {"user_ids", {"bob"}}};
  app.publish("ada", listed);
  app.publish("ada", {{"content", "next"}, {"audience", "public"}});
  app.deliver();
  first_item("bob");
  ASSERT_EQ(remembered(), 3U);
  app.compares = true;
  const auto items = Json::parse(app.get("ada", "/v1/timeline").body)["items"];
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1]["user_ids"], Json({"bob"}));
}

TEST_F(RememberedPages, HaveTheTextOfTheLastEdit) {
  EXPECT_EQ(first_item("bob")["content"], "hello");
  EXPECT_EQ(
      app.call("ada", http::Method::Patch, "/v1/moments/" + id, {{"content", "good bye"}}).status,
      204);
  app.deliver();
  EXPECT_EQ(first_item("bob")["content"], "good bye");
  EXPECT_EQ(reads_of("bob"), 0);
}

// The tables have consumers of their own, and anyone who reads is not to wait for them.
TEST_F(RememberedPages, HaveWhatTheTablesHaveNotGotYet) {
  first_item("bob");  // so that names are known
  first_item("ada");
  app.forget_words_of("ada");
  const auto edit = [&](const std::string& moment, const std::string& content) {
    const Json body{{"content", content}};
    EXPECT_EQ(app.call("ada", http::Method::Patch, "/v1/moments/" + moment, body).status, 204);
  };
  edit(id, "hello again");
  const auto image = app.upload("ada", test_support::picture(3, 2));
  const Json moment{{"content", "new"}, {"audience", "public"}, {"images", {image}}};
  const std::string next = app.publish("ada", moment);
  const auto spoken = app.comment("bob", id, {{"text", "hello to you"}});
  const auto events = app.deliver_to_engine();

  EXPECT_EQ(reads_of("bob"), 2)
      << "the row of the first moment, whose edit has just come, and how the image looks";
  EXPECT_EQ(reads_of("bob"), 0);
  EXPECT_EQ(first_item("bob")["content"], "new");
  const std::vector<std::string> paths{"/v1/timeline",
                                       "/v1/moments?author=ada",
                                       "/v1/moments/" + next,
                                       "/v1/moments/" + next + "/history",
                                       "/v1/moments/" + id + "/history",
                                       "/v1/moments/" + id + "/comments",
                                       "/v1/moments/" + next + "/images/" + image};
  std::vector<std::string> before;
  for (const std::string& path : paths) {
    const auto response = app.get("bob", path);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    before.push_back(response.body);
  }
  app.write_tables(events);
  app.compares = true;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_TRUE(app.get("bob", paths[i]).body == before[i]) << paths[i];
  }
}

TEST_F(RememberedPages, ForgetWhatIsDeletedAndWhoseAccountIsClosed) {
  first_item("bob");
  ASSERT_EQ(remembered(), 1U);
  EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
  app.deliver();
  EXPECT_EQ(remembered(), 0U);
  app.publish("ada", {{"content", "again"}, {"audience", "public"}});
  app.deliver();
  first_item("bob");
  ASSERT_EQ(remembered(), 1U);
  app.tell("accounts", "AccountClosed", {{"account_id", app.id_of("ada").to_string()}});
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(RememberedPages, RememberNothingThatWasDeletedWhileItWasRead) {
  watched.meanwhile = [&] {
    EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
    app.deliver();
  };
  first_item("bob");
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(RememberedPages, NamePeopleAsTheirProfilesSayNow) {
  EXPECT_EQ(first_item("bob")["author"]["real_name"], "Miss ada");
  const auto rename = [&](const std::string& name) {
    const auto done = tables.database.transact([&](sql::Transaction& transaction) {
      transaction.execute("UPDATE person_profile SET real_name = $2 WHERE account_id = $1::uuid",
                          {app.id_of("ada"), name});
    });
    EXPECT_TRUE(done.ok());
    const std::vector<core::AccountId> changed{app.id_of("ada")};
    app.contents.drop_names(changed);
  };
  rename("Ada L.");
  EXPECT_EQ(first_item("bob")["author"]["real_name"], "Ada L.");
  // The change comes between the read of the name and its being remembered.
  app.contents.drop_names({});
  watched.meanwhile = [&] { rename("Ada King"); };
  first_item("bob");
  EXPECT_EQ(first_item("bob")["author"]["real_name"], "Ada King");
}

TEST_F(RememberedPages, DoNotRememberWhoIsNotKnownYet) {
  app.befriend("bob", "cleo");
  app.publish("cleo", {{"content", "who am I"}, {"audience", "public"}});
  app.deliver();
  EXPECT_EQ(first_item("bob")["author"]["real_name"], nullptr);
  tables.enter_person(app.id_of("cleo"), "cleo", "Miss cleo");
  EXPECT_EQ(first_item("bob")["author"]["real_name"], "Miss cleo");
}

}  // namespace
}  // namespace tideline::feed
