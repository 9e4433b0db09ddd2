// Likes, comments and edits from the routes to the tables and back, with a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/domain/comment.hpp"
#include "feed/projections/interaction_queries.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed/stored_events.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;
using Texts = std::vector<std::string>;

// Bob and Cleo are contacts of Ada, not of each other.
class InteractionPages : public ::testing::Test {
 protected:
  InteractionPages() {
    for (const std::string name : {"ada", "bob", "cleo", "dan"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
    id = app.publish("ada", {{"content", "hello"}, {"audience", "public"}});
    app.deliver();
  }

  Json read(const std::string& who, const std::string& path) {
    const auto response = app.get(who, "/v1/moments/" + id + path);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    return Json::parse(response.body);
  }
  Texts texts(const std::string& who, const std::string& query = "") {
    Texts found;
    const Json page = read(who, "/comments" + query);
    for (const auto& item : page["items"]) found.push_back(item["text"]);
    return found;
  }
  Texts likers(const std::string& who) {
    Texts found;
    const Json page = read(who, "/likes");
    for (const auto& item : page["items"]) found.push_back(item["person"]["user_id"]);
    return found;
  }
  std::string say(const std::string& who, const std::string& text, const Json& parent = nullptr) {
    app.clock.advance(std::chrono::milliseconds(1));
    return app.comment(who, id, {{"text", text}, {"parent_id", parent}});
  }
  void like(const std::string& who) {
    app.clock.advance(std::chrono::milliseconds(1));
    EXPECT_EQ(app.like(who, id), 204);
  }
  int edit(const std::string& content) {
    app.clock.advance(std::chrono::minutes(1));
    return app.call("ada", Method::Patch, "/v1/moments/" + id, {{"content", content}}).status;
  }
  int remove_comment(const std::string& who, const std::string& comment) {
    return app.call(who, Method::Delete, "/v1/moments/" + id + "/comments/" + comment).status;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string id;
};

TEST_F(InteractionPages, ShowAndCountWhatEachViewerMeets) {
  for (const std::string who : {"ada", "bob", "cleo", "dan"}) {
    like(who);
    say(who, "of " + who);
  }
  app.deliver();
  EXPECT_EQ(likers("ada"), (Texts{"cleo", "bob", "ada"}));
  EXPECT_EQ(likers("bob"), (Texts{"bob", "ada"}));
  EXPECT_EQ(likers("dan"), (Texts{"dan", "ada"}));
  EXPECT_EQ(texts("ada"), (Texts{"of ada", "of bob", "of cleo"}));
  EXPECT_EQ(texts("bob"), (Texts{"of ada", "of bob"}));
  EXPECT_EQ(read("ada", "")["comments"], 3);
  EXPECT_EQ(read("ada", "")["likes"], 3);
  EXPECT_EQ(read("bob", "")["comments"], 2);
  const Json timeline = Json::parse(app.get("bob", "/v1/timeline").body);
  EXPECT_EQ(timeline["items"][0]["likes"], 2);
  EXPECT_EQ(timeline["items"][0]["liked"], true);
}

TEST_F(InteractionPages, ShowACommentWithItsParentToWhoMeetsThatToo) {
  const auto first = say("bob", "who comes?");
  app.deliver();
  const auto answer = say("ada", "I do", first);
  app.deliver();
  const Json item = read("bob", "/comments")["items"][1];
  EXPECT_EQ(item,
            (Json{{"id", answer},
                  {"parent_id", first},
                  {"author", {{"user_id", "ada"}, {"real_name", "Miss ada"}, {"avatar", nullptr}}},
                  {"text", "I do"},
                  {"mentions", Json::array()},
                  {"hidden", nullptr},
                  {"written_at", core::format_iso8601(app.clock.now())}}));
  EXPECT_EQ(read("cleo", "/comments")["items"][0]["parent_id"], nullptr)
      << "she does not meet bob's";
  EXPECT_EQ(remove_comment("bob", first), 204);
  app.deliver();
  EXPECT_EQ(read("bob", "/comments")["items"][0]["parent_id"], nullptr) << "nobody meets it now";
}

TEST_F(InteractionPages, FollowWhatIsRevokedAndGranted) {
  like("bob");
  say("bob", "of bob");
  app.deliver();
  app.tell("social-graph", "ContactRemoved",
           {{"by", app.id_of("bob").to_string()}, {"other", app.id_of("ada").to_string()}});
  EXPECT_EQ(texts("ada"), Texts{});
  EXPECT_EQ(likers("ada"), Texts{});
  EXPECT_EQ(read("ada", "")["likes"], 0);
  app.befriend("bob", "cleo");
  EXPECT_EQ(texts("cleo"), Texts{"of bob"});
  app.exclude("ada", "cleo");
  EXPECT_EQ(app.get("cleo", "/v1/moments/" + id + "/comments").status, 404);
  EXPECT_EQ(app.get("cleo", "/v1/moments/" + id + "/likes").status, 404);
  app.tell("accounts", "AccountClosed", {{"account_id", app.id_of("bob").to_string()}});
  app.befriend("ada", "bob");
  EXPECT_EQ(texts("ada"), Texts{});
}

TEST_F(InteractionPages, HideACommentUntilWhatItsWriterHadSeenIsHere) {
  eventsourcing::PositionVector seen;
  seen.raise("feed", core::LogIndex(0), core::LogPosition(1'000));
  CommentAdded fact;
  fact.moment = *core::parse_moment_id(id);
  fact.moment_author = app.id_of("ada");
  fact.id = core::CommentId(5);
  fact.author = app.id_of("bob");
  fact.text = "not before";
  eventsourcing::Append append;
  append.time = app.clock.now();
  append.metadata.seen = seen.to_token();
  append.streams.push_back({keys::comment(fact.moment, fact.id),
                            core::StreamVersion(0),
                            {eventsourcing::EventCodec<Comment>(app.cipher).encode(fact)}});
  ASSERT_TRUE(app.store.append(std::move(append)).ok());
  app.deliver();
  EXPECT_EQ(texts("bob"), Texts{"not before"}) << "his own";
  EXPECT_EQ(texts("ada"), Texts{});
  EXPECT_EQ(read("ada", "")["comments"], 0);
  app.engine_applied.advance(seen);
  EXPECT_EQ(texts("ada"), Texts{"not before"});
}

TEST_F(InteractionPages, PageThroughCommentsBothWays) {
  Texts all;
  for (int i = 0; i < 45; ++i) {
    all.push_back("comment " + std::to_string(i));
    say(i % 2 == 0 ? "ada" : "bob", all.back());
    if (i % 5 == 0) say("cleo", "not met by bob");
  }
  app.deliver();
  Texts down;
  std::vector<std::size_t> sizes;
  Json page = read("bob", "/comments");
  while (true) {
    sizes.push_back(page["items"].size());
    for (const auto& item : page["items"]) down.push_back(item["text"]);
    if (page["after"].is_null()) break;
    page = read("bob", "/comments?after=" + page["after"].get<std::string>());
  }
  EXPECT_EQ(down, all);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{20, 20, 5}));
  page = read("bob", "/comments?before=" + page["before"].get<std::string>());
  EXPECT_EQ(page["items"][0]["text"], "comment 20");
  page = read("bob", "/comments?before=" + page["before"].get<std::string>());
  EXPECT_EQ(page["items"][0]["text"], "comment 0");
  EXPECT_EQ(page["before"], nullptr);
}

TEST_F(InteractionPages, PageThroughLikesBothWays) {
  Texts all;
  for (int i = 0; i < 25; ++i) {
    const std::string name = "fan" + std::to_string(i);
    tables.enter_person(app.id_of(name), name, name);
    app.befriend("ada", name);
    like(name);
    all.insert(all.begin(), name);
  }
  like("dan");  // a stranger to Ada
  app.deliver();
  Json page = read("ada", "/likes");
  ASSERT_EQ(page["items"].size(), 20U);
  EXPECT_EQ(page["before"], nullptr);
  EXPECT_EQ(page["items"][0]["person"]["user_id"], "fan24");
  page = read("ada", "/likes?after=" + page["after"].get<std::string>());
  ASSERT_EQ(page["items"].size(), 5U);
  EXPECT_EQ(page["after"], nullptr);
  page = read("ada", "/likes?before=" + page["before"].get<std::string>());
  EXPECT_EQ(page["items"].size(), 20U);
  EXPECT_EQ(page["items"][0]["person"]["user_id"], "fan24");
  EXPECT_EQ(app.call("fan24", Method::Delete, "/v1/moments/" + id + "/like").status, 204);
  app.deliver();
  EXPECT_EQ(read("ada", "/likes")["items"][0]["person"]["user_id"], "fan23");
}

TEST_F(InteractionPages, ShowTheLastTextAndItsHistory) {
  const auto published_at = core::format_iso8601(app.clock.now());
  EXPECT_EQ(edit("hallo"), 204);
  const auto first_at = core::format_iso8601(app.clock.now());
  EXPECT_EQ(edit("salve"), 204);
  const auto second_at = core::format_iso8601(app.clock.now());
  app.deliver();
  const Json moment = read("bob", "");
  EXPECT_EQ(moment["content"], "salve");
  EXPECT_EQ(moment["edits"], 2);
  EXPECT_EQ(moment["published_at"], published_at);
  EXPECT_EQ(moment["edited_at"], second_at);
  EXPECT_EQ(read("bob", "/history"),
            (Json{{"items",
                   {{{"edit", 2}, {"content", "salve"}, {"written_at", second_at}},
                    {{"edit", 1}, {"content", "hallo"}, {"written_at", first_at}},
                    {{"edit", 0}, {"content", "hello"}, {"written_at", published_at}}}},
                  {"before", nullptr},
                  {"after", nullptr}}));
}

// Else somebody who was excluded before would read what was written after.
TEST_F(InteractionPages, ShowTheTextOfBeforeUntilWhatTheEditorHadSeenIsHere) {
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(3), core::LogPosition(5));
  const auto response = app.call("ada", Method::Patch, "/v1/moments/" + id, {{"content", "late"}},
                                 {.position = seen.to_token(), .idempotency_key = ""});
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(edit("later"), 204);
  app.deliver();
  EXPECT_EQ(read("ada", "")["content"], "later");
  EXPECT_EQ(read("bob", "")["content"], "hello");
  EXPECT_EQ(read("bob", "/history")["items"].size(), 1U);
  app.engine_applied.advance(seen);
  EXPECT_EQ(read("bob", "")["content"], "later");
  EXPECT_EQ(read("bob", "/history")["items"].size(), 3U);
}

TEST_F(InteractionPages, LeaveNothingOfWhatIsDeleted) {
  const auto comment = say("bob", "gone");
  EXPECT_EQ(edit("hallo"), 204);
  app.deliver();
  EXPECT_EQ(edit("salve"), 204);
  EXPECT_EQ(remove_comment("bob", comment), 204);
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + id).status, 204);
  app.deliver();
  const auto left = tables.database.query(
      "SELECT (SELECT count(*) FROM moment_edit), (SELECT count(*) FROM moment_comment),"
      " (SELECT count(*) FROM moment_comment WHERE text IS NOT NULL)",
      {});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left->at(0).integer(0), 0) << "texts of a deleted moment";
  EXPECT_EQ(left->at(0).integer(1), 1);
  EXPECT_EQ(left->at(0).integer(2), 0) << "text of a deleted comment";
  EXPECT_EQ(app.get("bob", "/v1/moments/" + id + "/history").status, 404);
}

TEST_F(InteractionPages, AnswerWithoutATextWhenItsAuthorIsErased) {
  say("bob", "forget me");
  EXPECT_EQ(edit("forget this"), 204);
  app.deliver();
  ASSERT_TRUE(app.cipher.destroy(app.id_of("bob")).ok());
  EXPECT_EQ(read("ada", "/comments")["items"][0]["text"], nullptr);
  ASSERT_TRUE(app.cipher.destroy(app.id_of("ada")).ok());
  EXPECT_EQ(read("bob", "")["content"], nullptr);
  EXPECT_EQ(read("bob", "/history")["items"][0]["content"], nullptr);
}

TEST_F(InteractionPages, AreRefusedWhileTheirRowsHaveNotArrived) {
  say("bob", "not in the table yet");
  EXPECT_EQ(edit("not in the table yet"), 204);
  app.deliver_to_engine();
  app.forget_words_of("ada");
  app.forget_words_of("bob");
  EXPECT_EQ(app.get("bob", "/v1/moments/" + id).status, 503);
  EXPECT_EQ(app.get("bob", "/v1/moments/" + id + "/comments").status, 503);
}

TEST_F(InteractionPages, OfOneMomentTouchOnePartition) {
  const core::MomentId moment = *core::parse_moment_id(id);
  const int partition = core::author_partition(moment);
  const auto once = [&](const char* sql, const sql::Params& params, const char* table) {
    const auto plan = tables.explain(sql, params);
    EXPECT_EQ(testing::scans_of(plan, table), 1U) << plan;
    EXPECT_THAT(plan, ::testing::HasSubstr("Index"));
  };
  const std::vector<core::AccountId> people{app.id_of("ada"), app.id_of("bob")};
  once(kLikesSql, {partition, moment, people}, "moment_like");
  const std::vector<core::CommentId> comments{core::CommentId(5), core::CommentId(6)};
  once(kFindCommentsSql, {partition, moment, comments}, "moment_comment");
  const std::vector<int> one{partition};
  const std::vector<core::MomentId> moments{moment, moment};
  const std::vector<int> edits{1, 2};
  once(kFindEditsSql, {one, moments, edits}, "moment_edit");

  std::vector<int> all;
  for (int i = 0; i < 256; ++i) all.push_back(i);
  EXPECT_EQ(testing::scans_of(tables.explain(kFindEditsSql, {all, moments, edits}), "moment_edit"),
            16U)
      << "the count counts";
}

TEST_F(InteractionPages, VisitsAreCountedForTheAuthorAlone) {
  const auto visits = [&](const std::string& who, Method method) {
    return app.call(who, method, "/v1/moments/" + id + "/visits");
  };
  const auto visit = [&](const std::string& who) { return visits(who, Method::Post).status; };
  const std::string first = core::format_day(core::utc_day(app.clock.now()));
  for (const std::string who : {"bob", "cleo", "bob", "ada"}) EXPECT_EQ(visit(who), 204) << who;
  app.clock.advance(std::chrono::hours(24));
  const std::string second = core::format_day(core::utc_day(app.clock.now()));
  EXPECT_EQ(visit("bob"), 204);
  app.deliver();
  EXPECT_EQ(read("ada", "/visits"),
            (Json{{"total", 3},
                  {"days", {{{"day", second}, {"visits", 1}}, {{"day", first}, {"visits", 2}}}}}));
  EXPECT_EQ(visits("bob", Method::Get).status, 403);

  app.exclude("ada", "bob");
  for (const Method method : {Method::Post, Method::Get}) {
    EXPECT_EQ(visits("bob", method).status, 404) << "who may not see it is told nothing";
  }
  app.deliver();
  EXPECT_EQ(read("ada", "/visits")["total"], 3);
}

}  // namespace
}  // namespace tideline::feed
