// Moments from the routes to the tables and back, with a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed_database.hpp"
#include "support/pictures.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using test_support::picture;
using testing::FeedApp;
using testing::FeedDatabase;

class MomentPages : public ::testing::Test {
 protected:
  MomentPages() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
  }

  Json read(const std::string& who, const std::string& path) {
    const auto response = app.get(who, path);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    return Json::parse(response.body);
  }
  int status(const std::string& who, const std::string& path) { return app.get(who, path).status; }
  static std::vector<std::string> contents(const Json& page) {
    std::vector<std::string> texts;
    for (const auto& item : page["items"]) texts.push_back(item["content"].get<std::string>());
    return texts;
  }
  std::string publish(const std::string& who, const std::string& content,
                      const std::string& audience = "public") {
    app.clock.advance(std::chrono::milliseconds(1));
    return app.publish(who, {{"content", content}, {"audience", audience}});
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(MomentPages, ShowAMomentWithItsAudienceToItsAuthorAlone) {
  const std::string tag = app.make_tag("ada");
  const Json images{app.upload("ada", picture(1, 1)), app.upload("ada", picture(2, 1))};
  const auto id = app.publish("ada", {{"content", "for some"},
                                      {"images", images},
                                      {"audience", "partly-visible"},
                                      {"tag_ids", {tag}},
                                      {"user_ids", {"bob"}}});
  app.deliver();
  Json own = read("ada", "/v1/moments/" + id);
  EXPECT_EQ(own["image_links"].size(), 2U);
  own.erase("image_links");
  EXPECT_EQ(own["image_previews"][1]["width"], 2);
  own.erase("image_previews");
  EXPECT_EQ(own,
            (Json{{"id", id},
                  {"author", {{"user_id", "ada"}, {"real_name", "Miss ada"}, {"avatar", nullptr}}},
                  {"content", "for some"},
                  {"images", images},
                  {"audience", "partly-visible"},
                  {"group_ids", Json::array()},
                  {"tag_ids", {tag}},
                  {"user_ids", {"bob"}},
                  {"published_at", core::format_iso8601(app.clock.now())},
                  {"edited_at", nullptr},
                  {"hidden", nullptr},
                  {"mentions", Json::array()},
                  {"repost", nullptr},
                  {"has_poll", false},
                  {"edits", 0},
                  {"likes", 0},
                  {"liked", false},
                  {"bookmarked", false},
                  {"comments", 0}}));
  const Json bobs = read("bob", "/v1/moments/" + id);
  EXPECT_EQ(bobs["content"], "for some");
  EXPECT_EQ(bobs["audience"], nullptr);
  EXPECT_EQ(bobs["tag_ids"], Json::array());
  EXPECT_EQ(bobs["user_ids"], Json::array());
  EXPECT_EQ(status("cleo", "/v1/moments/" + id), 404);
}

TEST_F(MomentPages, RefuseAnAudienceOfNobody) {
  const auto response =
      app.post("ada", "/v1/moments",
               {{"content", "x"}, {"audience", "partly-invisible"}, {"user_ids", {"bob", "bbo"}}});
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, ::testing::HasSubstr("no-such-person"));
}

TEST_F(MomentPages, PageThroughATimelineBothWays) {
  std::vector<std::string> all;
  for (int i = 0; i < 45; ++i) {
    const std::string text = "moment " + std::to_string(i);
    publish(i % 2 == 0 ? "ada" : "bob", text);
    all.insert(all.begin(), text);
  }
  publish("cleo", "of a stranger");
  app.deliver();

  std::vector<std::string> down;
  std::vector<std::size_t> sizes;
  std::string path = "/v1/timeline";
  Json page;
  while (true) {
    page = read("bob", path);
    sizes.push_back(page["items"].size());
    for (const auto& text : contents(page)) down.push_back(text);
    if (page["after"].is_null()) break;
    path = "/v1/timeline?after=" + page["after"].get<std::string>();
  }
  EXPECT_EQ(down, all);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{20, 20, 5}));

  page = read("bob", "/v1/timeline?before=" + page["before"].get<std::string>());
  EXPECT_EQ(contents(page), std::vector<std::string>(all.begin() + 20, all.begin() + 40));
  page = read("bob", "/v1/timeline?before=" + page["before"].get<std::string>());
  EXPECT_EQ(contents(page), std::vector<std::string>(all.begin(), all.begin() + 20));
  EXPECT_EQ(page["before"], nullptr);
}

TEST_F(MomentPages, ShowAnAuthorsPageAsTheViewerMaySeeIt) {
  publish("ada", "to all");
  publish("ada", "to contacts", "partly-invisible");
  publish("ada", "to nobody", "private");
  app.deliver();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(contents(read("ada", "/v1/moments?author=ada")),
            (Texts{"to nobody", "to contacts", "to all"}));
  EXPECT_EQ(contents(read("bob", "/v1/moments?author=ada")), (Texts{"to contacts", "to all"}));
  EXPECT_EQ(contents(read("cleo", "/v1/moments?author=ada")), Texts{"to all"});
  app.exclude("ada", "bob");
  EXPECT_EQ(contents(read("bob", "/v1/moments?author=ada")), Texts{});
  EXPECT_EQ(contents(read("bob", "/v1/timeline")), Texts{});
  EXPECT_EQ(status("bob", "/v1/moments?author=nobody"), 404);
}

// The clock begins on 15 January 2027.
TEST_F(MomentPages, ShowAnAuthorsPageByMonths) {
  publish("ada", "in January");
  app.clock.advance(std::chrono::days(40));
  publish("ada", "in February", "private");
  app.clock.advance(std::chrono::days(30));
  publish("ada", "in March");
  publish("ada", "later in March");
  app.deliver();
  using Texts = std::vector<std::string>;
  const std::string page = "/v1/moments?author=ada&month=";
  EXPECT_EQ(read("ada", "/v1/moments/months?author=ada"),
            Json({{"months", {"2027-03", "2027-02", "2027-01"}}}));
  EXPECT_EQ(read("cleo", "/v1/moments/months?author=ada"),
            Json({{"months", {"2027-03", "2027-01"}}}));
  EXPECT_EQ(contents(read("ada", page + "2027-02")), Texts{"in February"});
  EXPECT_EQ(contents(read("cleo", page + "2027-02")), Texts{});

  const Json newest = read("cleo", page + "2027-03&limit=1");
  EXPECT_EQ(contents(newest), Texts{"later in March"});
  const Json last =
      read("cleo", page + "2027-03&limit=1&after=" + newest["after"].get<std::string>());
  EXPECT_EQ(contents(last), Texts{"in March"});
  EXPECT_EQ(last["after"], nullptr) << "January is another page";

  for (const std::string month :
       {"2027-13", "2027", "2027-1", "27-01", "2027-01-01", "1969-12", "2101-01", "9999-12"}) {
    EXPECT_EQ(status("ada", page + month), 400) << month;
  }
  EXPECT_EQ(status("ada", "/v1/moments/months"), 400);
  EXPECT_EQ(status("ada", "/v1/moments/months?author=nobody"), 404);
}

TEST_F(MomentPages, ShowNothingOfWhatIsDeleted) {
  const auto id = publish("ada", "gone");
  publish("ada", "kept");
  app.deliver();
  EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
  app.deliver();
  EXPECT_EQ(contents(read("bob", "/v1/timeline")), std::vector<std::string>{"kept"});
  EXPECT_EQ(status("ada", "/v1/moments/" + id), 404);
  const auto left = tables.database.query(
      "SELECT count(*) FROM moment WHERE deleted"
      " AND content IS NULL",
      {});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left->at(0).integer(0), 1);
}

TEST_F(MomentPages, AreRightWhenADeletionComesInTheSameFlush) {
  const auto id = publish("ada", "both in one flush");
  EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
  app.deliver();
  EXPECT_EQ(status("ada", "/v1/moments/" + id), 404);
  EXPECT_EQ(contents(read("ada", "/v1/timeline")), std::vector<std::string>{});
}

TEST_F(MomentPages, AnswerWithoutATextWhenItsAuthorIsErased) {
  const auto id = publish("ada", "forget me");
  app.deliver();
  ASSERT_TRUE(app.cipher.destroy(app.id_of("ada")).ok());
  EXPECT_EQ(read("bob", "/v1/moments/" + id)["content"], nullptr);
}

TEST_F(MomentPages, RefuseAPageWhoseRowsHaveNotArrived) {
  publish("ada", "not in the table yet");
  app.deliver_to_engine();
  app.forget_words_of("ada");
  EXPECT_EQ(status("bob", "/v1/timeline"), 503);
}

TEST_F(MomentPages, OfOneAuthorTouchOnePartition) {
  std::vector<core::MomentId> ids;
  for (std::uint32_t i = 0; i < 20; ++i) {
    ids.push_back(core::make_moment_id(app.clock.now(), app.id_of("ada"), i));
  }
  const std::vector<int> one{core::author_partition(ids[0])};
  const auto plan = tables.explain(kFindMomentsSql, {one, ids});
  EXPECT_EQ(testing::scans_of(plan, "moment"), 1U) << plan;
  EXPECT_THAT(plan, ::testing::HasSubstr("Index"));

  std::vector<int> all;
  for (int i = 0; i < 256; ++i) all.push_back(i);
  EXPECT_EQ(testing::scans_of(tables.explain(kFindMomentsSql, {all, ids}), "moment"), 16U)
      << "the count counts";
}

// Stops the process, as it were, while the tables are read.
class StoppedWhileReading final : public sql::Database {
 public:
  explicit StoppedWhileReading(sql::Database& inner) : inner_(inner) {}

  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    return inner_.transact(work);
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    auto done = inner_.snapshot(work);
    meanwhile();
    return done;
  }
  std::function<void()> meanwhile = [] {};

 private:
  sql::Database& inner_;
};

TEST(StoppedInstance, DoesNotAnswerWithWhatWasVisibleBefore) {
  FeedDatabase tables;
  StoppedWhileReading stopped(tables.database);
  // Every page reads the tables.
  FeedApp app(stopped, 0);
  tables.enter_person(app.id_of("ada"), "ada", "Miss ada");
  const auto id = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
  app.deliver();
  const auto status = [&](const std::string& path) { return app.get("ada", path).status; };
  EXPECT_EQ(status("/v1/timeline"), 200);
  stopped.meanwhile = [&] { app.place = {ShardPlace::Kind::Elsewhere, "feed-1", "10.0.0.1:80"}; };
  EXPECT_EQ(status("/v1/timeline"), 503) << "its shard is at another instance meanwhile";
  app.place = {ShardPlace::Kind::Here, "feed-0", ""};
  stopped.meanwhile = [&] { app.status.behind = std::chrono::seconds(60); };
  EXPECT_EQ(status("/v1/timeline"), 503) << "what it has read is a minute old";
  app.status.behind = std::chrono::seconds(0);
  EXPECT_EQ(status("/v1/moments/" + id), 503) << "the same of every route";
}

}  // namespace
}  // namespace tideline::feed
