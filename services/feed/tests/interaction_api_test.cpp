// Likes, comments and edits through the routes, on the store in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feed/domain/comment.hpp"
#include "feed_app.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using ::testing::HasSubstr;
using testing::NoDatabase;

class InteractionApi : public ::testing::Test {
 protected:
  InteractionApi() {
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
    open = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
    secret = app.publish("ada", {{"content", "x"}, {"audience", "private"}});
    app.deliver();
  }

  int unlike(const std::string& who, const std::string& id) {
    return app.call(who, Method::Delete, "/v1/moments/" + id + "/like").status;
  }
  int remove(const std::string& who, const std::string& comment) {
    return app.call(who, Method::Delete, "/v1/moments/" + open + "/comments/" + comment).status;
  }
  http::Response say(const std::string& who, const std::string& id, const Json& body,
                     const FeedApp::Extra& extra = {}) {
    return app.post(who, "/v1/moments/" + id + "/comments", body, extra);
  }
  http::Response edit(const std::string& who, const std::string& id, const Json& body,
                      const FeedApp::Extra& extra = {}) {
    return app.call(who, Method::Patch, "/v1/moments/" + id, body, extra);
  }

  NoDatabase database;
  FeedApp app{database};
  std::string open, secret;
};

TEST_F(InteractionApi, LikesOnceAndTakesBackOnce) {
  EXPECT_EQ(app.like("bob", open), 204);
  EXPECT_EQ(app.like("bob", open), 204);
  EXPECT_EQ(unlike("bob", open), 204);
  EXPECT_EQ(unlike("bob", open), 204);
  const auto events = app.deliver();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].stream, keys::like(*core::parse_moment_id(open), app.id_of("bob")));
}

TEST_F(InteractionApi, TellsNothingOfAMomentThatHeMayNotSee) {
  app.exclude("ada", "cleo");
  for (const auto& [who, id] :
       {std::pair{"bob", secret}, std::pair{"cleo", open}, std::pair{"bob", std::string("123")},
        std::pair{"bob", std::string("abc")}}) {
    const std::string path = "/v1/moments/" + id;
    EXPECT_EQ(app.like(who, id), 404) << who;
    EXPECT_EQ(unlike(who, id), 404) << who;
    EXPECT_EQ(say(who, id, {{"text", "hi"}}).status, 404) << who;
    EXPECT_EQ(edit(who, id, {{"content", "hi"}}).status, 404) << who;
    for (const std::string list : {"/likes", "/comments", "/history"}) {
      EXPECT_EQ(app.get(who, path + list).status, 404) << who << list;
    }
  }
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(InteractionApi, NothingCrossesABlockInEitherDirection) {
  const std::string bobs = app.publish("bob", {{"content", "hi"}, {"audience", "public"}});
  app.deliver();
  app.block("ada", "bob");
  for (const auto& [who, whose, id] :
       {std::tuple{"bob", "ada", open}, std::tuple{"ada", "bob", bobs}}) {
    const std::string path = "/v1/moments/" + id;
    EXPECT_EQ(app.get(who, path).status, 404) << who;
    EXPECT_EQ(app.like(who, id), 404) << who;
    EXPECT_EQ(say(who, id, {{"text", "hi"}}).status, 404) << who;
    EXPECT_EQ(app.call(who, http::Method::Post, path + "/visits").status, 404) << who;
    const auto page = app.engine.reader().moments_of(app.id_of(whose), app.id_of(who), {}, 10);
    EXPECT_TRUE(page.entries.empty()) << who;
  }
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(InteractionApi, TakesALikeBackOfAMomentThatHeMayNotSeeAnyMore) {
  EXPECT_EQ(app.like("bob", open), 204);
  app.deliver();
  app.exclude("ada", "bob");
  EXPECT_EQ(unlike("bob", open), 204);
  EXPECT_EQ(unlike("bob", open), 404) << "now it is as if it had never been";
  EXPECT_EQ(app.deliver().size(), 1U);
}

TEST_F(InteractionApi, CommentsAndSaysWhere) {
  const auto response = say("bob", open, {{"text", "hello"}});
  ASSERT_EQ(response.status, 201) << response.body;
  const auto id = core::parse_comment_id(Json::parse(response.body)["id"].get<std::string>());
  ASSERT_TRUE(id);
  EXPECT_EQ(response.headers.find("Location"), "/v1/moments/" + open + "/comments");
  const auto events = app.new_events();
  ASSERT_EQ(events.size(), 1U);
  const core::MomentId moment = *core::parse_moment_id(open);
  EXPECT_EQ(events[0].stream, keys::comment(moment, *id));
  EXPECT_EQ(core::author_partition(core::MomentId(id->value())), core::author_partition(moment));
  EXPECT_EQ(events[0].data.find("hello"), std::string::npos) << "the text is sealed";
}

TEST_F(InteractionApi, KeepsTheTokensOfCommentersAndEditors) {
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(0), core::LogPosition(1));
  seen.raise("scoring", core::LogIndex(1), core::LogPosition(8));
  const FeedApp::Extra extra{.position = seen.to_token(), .idempotency_key = ""};
  EXPECT_EQ(say("bob", open, {{"text", "hello"}}, extra).status, 201);
  EXPECT_EQ(edit("ada", open, {{"content", "hello"}}, extra).status, 204);
  const auto events = app.new_events();
  ASSERT_EQ(events.size(), 2U);
  for (const auto& event : events) {
    EXPECT_EQ(event.metadata.seen, seen.to_token()) << event.type;
  }
}

// Each page counts all comments of its moments.
TEST_F(InteractionApi, AMomentHasOnlySoManyComments) {
  for (std::uint64_t i = 1; i < Comment::kPerMomentMax; ++i) {
    app.tell("feed", "CommentAdded",
             {{"moment_id", open},
              {"moment_author", app.id_of("ada").to_string()},
              {"comment_id", std::to_string(i)},
              {"parent_id", nullptr},
              {"author", app.id_of("cleo").to_string()},
              {"text", "1.sealed"},
              {"written_at", core::format_iso8601(app.clock.now())}});
  }
  const std::string last = app.comment("bob", open, {{"text", "the last one"}});
  app.deliver();
  const auto refused = say("bob", open, {{"text", "one more"}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("comment-limit-reached"), std::string::npos);
}

TEST_F(InteractionApi, AnswersACommentThatHeMeets) {
  const auto bobs = app.comment("bob", open, {{"text", "hello"}});
  const auto adas = app.comment("ada", open, {{"text", "hello"}});
  app.deliver();
  EXPECT_EQ(say("cleo", open, {{"text", "you?"}, {"parent_id", adas}}).status, 201);
  const auto foreign = say("cleo", open, {{"text", "you?"}, {"parent_id", bobs}});
  EXPECT_EQ(foreign.status, 422) << "bob is no contact of hers";
  EXPECT_THAT(foreign.body, HasSubstr("no-such-comment"));
  EXPECT_EQ(remove("ada", adas), 204);
  app.deliver();
  EXPECT_EQ(say("bob", open, {{"text", "you?"}, {"parent_id", adas}}).status, 422) << "it is gone";
}

TEST_F(InteractionApi, EventsSayWhomTheyConcern) {
  EXPECT_EQ(app.like("bob", open), 204);
  const auto first = app.comment("bob", open, {{"text", "first"}});
  app.deliver();
  app.comment("ada", open, {{"text", "an answer"}, {"parent_id", first}});
  const auto answer = Json::parse(app.new_events().at(0).data);
  EXPECT_EQ(answer["moment_author"], app.id_of("ada").to_string());
  EXPECT_EQ(answer["parent_author"], app.id_of("bob").to_string());
  EXPECT_EQ(unlike("bob", open), 204);
  EXPECT_EQ(app.like("bob", open), 204);
  EXPECT_EQ(Json::parse(app.new_events().at(1).data)["moment_author"],
            app.id_of("ada").to_string());
}

TEST_F(InteractionApi, DeletesACommentForItsAuthorAndTheMoments) {
  const auto first = app.comment("bob", open, {{"text", "hello"}});
  const auto second = app.comment("bob", open, {{"text", "hello"}});
  const auto adas = app.comment("ada", open, {{"text", "hello"}});
  app.deliver();
  EXPECT_EQ(remove("bob", adas), 403);
  EXPECT_EQ(remove("cleo", first), 404) << "she does not meet it";
  EXPECT_EQ(remove("bob", first), 204);
  EXPECT_EQ(remove("ada", second), 204);
  EXPECT_EQ(remove("ada", second), 204);
  EXPECT_EQ(remove("bob", "123"), 404);
  EXPECT_EQ(remove("bob", "abc"), 404);
  EXPECT_EQ(app.deliver().size(), 2U);
}

TEST_F(InteractionApi, EditsForTheAuthorWithinAnHour) {
  EXPECT_EQ(edit("bob", open, {{"content", "y"}}).status, 403);
  EXPECT_EQ(edit("ada", open, {{"content", "y"}}).status, 204);
  EXPECT_EQ(edit("ada", open, {{"content", "y"}}).status, 204);
  app.clock.advance(std::chrono::hours(2));
  const auto late = edit("ada", open, {{"content", "z"}});
  EXPECT_EQ(late.status, 409);
  EXPECT_THAT(late.body, HasSubstr("too-late-to-edit"));
  EXPECT_EQ(app.new_events().size(), 1U);
}

TEST_F(InteractionApi, RefusesWhatIsNoCommentOrEdit) {
  for (const auto& body : std::vector<Json>{
           {{"text", ""}},
           {{"text", std::string(2001, 'x')}},
           {{"parent_id", "5"}},
           {{"text", "x"}, {"parent_id", 5}},
           {{"text", "x"}, {"parent_id", "05"}},
           {{"text", "x"}, {"colour", "red"}},
           Json::array(),
       }) {
    EXPECT_EQ(say("bob", open, body).status, 422) << body;
    EXPECT_EQ(edit("ada", open, body).status, 422) << body;
  }
  EXPECT_EQ(say("bob", open, "{").status, 400);
  EXPECT_EQ(edit("ada", open, {{"content", "x"}, {"audience", "private"}}).status, 422)
      << "an audience is for ever";
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(InteractionApi, AreForPeopleWhoHaveSignedIn) {
  const std::string path = "/v1/moments/" + open;
  EXPECT_EQ(app.call("", Method::Put, path + "/like").status, 401);
  EXPECT_EQ(app.post("", path + "/comments", {{"text", "x"}}).status, 401);
  EXPECT_EQ(app.get("", path + "/comments").status, 401);
}

TEST_F(InteractionApi, RefusesCursorsThatItDidNotGiveOut) {
  const std::string path = "/v1/moments/" + open;
  EXPECT_EQ(app.get("ada", path + "/likes?after=bGlrZXM6eA").status, 400);
  EXPECT_EQ(app.get("ada", path + "/comments?before=Y29tbWVudHM6eA").status, 400);
  EXPECT_EQ(app.get("ada", path + "/comments?after=x").status, 400);
}

// Anyone who carries the token of what was revoked is not answered by what was allowed before.
TEST_F(InteractionApi, RefusesRatherThanGoByAnOldVisibility) {
  const auto bobs = app.comment("bob", open, {{"text", "hello"}});
  app.deliver();
  const std::string path = "/v1/moments/" + open;
  eventsourcing::PositionVector unseen;
  unseen.raise("social-graph", core::LogIndex(0), core::LogPosition(50));
  const FeedApp::Extra behind{.position = unseen.to_token(), .idempotency_key = ""};
  EXPECT_EQ(app.call("bob", Method::Put, path + "/like", nullptr, behind).status, 503);
  EXPECT_EQ(say("bob", open, {{"text", "x"}}, behind).status, 503);
  EXPECT_EQ(app.get("bob", path + "/comments", behind).status, 503);

  app.status.behind = std::chrono::milliseconds(5001);
  EXPECT_EQ(app.like("bob", open), 503);
  EXPECT_EQ(say("bob", open, {{"text", "x"}}).status, 503);
  for (const std::string list : {"/likes", "/comments", "/history"}) {
    EXPECT_EQ(app.get("bob", path + list).status, 503) << list;
  }
  EXPECT_EQ(edit("bob", open, {{"content", "x"}}).status, 404) << "what he may know is not known";
  EXPECT_EQ(remove("cleo", bobs), 404);
  EXPECT_TRUE(app.new_events().empty());
}

}  // namespace
}  // namespace tideline::feed
