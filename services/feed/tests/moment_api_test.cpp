// Commands on moments through the routes, on the store in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feed_app.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::FeedApp;
using ::testing::HasSubstr;
using testing::NoDatabase;

class MomentApi : public ::testing::Test {
 protected:
  Json problem_of(const http::Response& response) { return Json::parse(response.body); }

  NoDatabase database;
  FeedApp app{database};
};

Json public_moment() { return {{"content", "hello"}, {"audience", "public"}}; }

TEST_F(MomentApi, PublishesAndSaysWhere) {
  const auto response = app.post("ada", "/v1/moments", public_moment());
  ASSERT_EQ(response.status, 201) << response.body;
  const std::string id = Json::parse(response.body)["id"];
  EXPECT_EQ(response.headers.find("Location"), "/v1/moments/" + id);
  EXPECT_EQ(response.headers.find("ETag"), "\"1\"");
  EXPECT_TRUE(response.headers.find("Tideline-Position"));

  const auto events = app.new_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].stream, keys::moment(*core::parse_moment_id(id)));
  EXPECT_EQ(core::author_partition(*core::parse_moment_id(id)), app.id_of("ada").bytes()[0]);
  EXPECT_EQ(events[0].data.find("hello"), std::string::npos) << "the content is sealed";
}

TEST_F(MomentApi, KeepsOfTheWritersTokenTheLogsThatThereAre) {
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(1), core::LogPosition(8));
  seen.raise("social-graph", core::LogIndex(FeedApp::kLogs), core::LogPosition(8));
  seen.raise("scoring", core::LogIndex(1), core::LogPosition(8));
  app.publish("ada", public_moment(), {.position = seen.to_token(), .idempotency_key = ""});
  eventsourcing::PositionVector kept;
  kept.raise("social-graph", core::LogIndex(1), core::LogPosition(8));
  kept.raise("scoring", core::LogIndex(1), core::LogPosition(8));
  EXPECT_EQ(app.new_events().at(0).metadata.seen, kept.to_token());
}

TEST_F(MomentApi, PublishesOnceForOneKey) {
  const FeedApp::Extra extra{.position = "", .idempotency_key = "once"};
  const auto first = app.publish("ada", public_moment(), extra);
  EXPECT_EQ(app.publish("ada", public_moment(), extra), first);
  EXPECT_EQ(app.new_events().size(), 1U);
}

TEST_F(MomentApi, GivesTwoMomentsOfOneMillisecondTwoIds) {
  EXPECT_NE(app.publish("ada", public_moment()), app.publish("ada", public_moment()));
}

struct BadBody {
  Json body;
  int status;
  std::string says;
};

TEST_F(MomentApi, RefusesWhatIsNoMoment) {
  const std::vector<BadBody> bodies{
      {"{", 400, "malformed"},
      {Json::array(), 422, ""},
      {{{"audience", "public"}}, 422, "give content"},
      {{{"content", ""}, {"audience", "public"}}, 422, "/content"},
      {{{"content", std::string(2001, 'x')}, {"audience", "public"}}, 422, "/content"},
      {{{"content", "x"}, {"audience", "everybody"}}, 422, "/audience"},
      {{{"content", "x"}}, 422, "/audience"},
      {{{"content", "x"}, {"audience", "public"}, {"colour", "red"}}, 422, "/colour"},
      {{{"content", "x"},
        {"audience", "public"},
        {"images", std::vector<std::string>(10, std::string(64, 'a'))}},
       422,
       "/images"},
      {{{"content", "x"}, {"audience", "public"}, {"images", {std::string(64, 'g')}}},
       422,
       "/images"},
      {{{"content", "x"}, {"audience", "partly-visible"}, {"group_ids", {"nonsense"}}},
       422,
       "/group_ids"},
      {{{"content", "x"}, {"audience", "partly-visible"}, {"user_ids", {"a b"}}}, 422, "/user_ids"},
      {{{"content", "x"},
        {"audience", "public"},
        {"tag_ids", {core::make_time_ordered_id(app.clock.now(), app.random)}}},
       422,
       "audience-takes-no-lists"},
  };
  for (const BadBody& bad : bodies) {
    const auto response = app.post("ada", "/v1/moments", bad.body);
    EXPECT_EQ(response.status, bad.status) << bad.body << response.body;
    EXPECT_THAT(response.body, HasSubstr(bad.says)) << bad.body;
  }
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(MomentApi, NamesTagsOfItsAuthorAlone) {
  const auto publish = [&](const std::string& tag_id) {
    return app.post("ada", "/v1/moments",
                    {{"content", "x"}, {"audience", "partly-invisible"}, {"tag_ids", {tag_id}}});
  };
  const std::string own = app.make_tag("ada");
  const std::vector<std::string> others{core::make_time_ordered_id(app.clock.now(), app.random),
                                        app.make_tag("bob")};
  for (const std::string& tag_id : others) {
    const auto response = publish(tag_id);
    EXPECT_EQ(response.status, 404);
    EXPECT_THAT(response.body, HasSubstr("no-such-tag"));
  }
  EXPECT_TRUE(app.new_events().empty());
  EXPECT_EQ(publish(own).status, 201);
  app.tell("social-graph", "TagDeleted",
           {{"owner", app.id_of("ada").to_string()}, {"tag_id", own}});
  EXPECT_EQ(publish(own).status, 404);
}

TEST_F(MomentApi, NamesKnownTagsWhileTheFeedIsBehindAndWaitsForOthers) {
  eventsourcing::PositionVector unseen;
  unseen.raise("social-graph", core::LogIndex(0), core::LogPosition(1000));
  const auto publish = [&](const std::string& tag_id) {
    return app
        .post("ada", "/v1/moments",
              {{"content", "x"}, {"audience", "partly-invisible"}, {"tag_ids", {tag_id}}},
              {.position = unseen.to_token(), .idempotency_key = ""})
        .status;
  };
  EXPECT_EQ(publish(app.make_tag("ada")), 201);
  EXPECT_EQ(publish(core::make_time_ordered_id(app.clock.now(), app.random)), 503);
}

TEST_F(MomentApi, NamesGroupsOfItsAuthorAlone) {
  const auto publish = [&](const std::string& group_id) {
    return app.post("ada", "/v1/moments",
                    {{"content", "x"}, {"audience", "partly-visible"}, {"group_ids", {group_id}}});
  };
  const std::string group_id = core::make_time_ordered_id(app.clock.now(), app.random);
  EXPECT_THAT(publish(group_id).body, HasSubstr("no-such-group"));
  app.join("bob", group_id);
  EXPECT_EQ(publish(group_id).status, 404);
  EXPECT_TRUE(app.new_events().empty());
  app.join("ada", group_id);
  EXPECT_EQ(publish(group_id).status, 201);
  app.tell("social-graph", "GroupDissolved", {{"group_id", group_id}});
  EXPECT_EQ(publish(group_id).status, 404);
}

TEST_F(MomentApi, IsForPeopleWhoHaveSignedIn) {
  EXPECT_EQ(app.post("", "/v1/moments", public_moment()).status, 401);
  EXPECT_EQ(app.get("", "/v1/timeline").status, 401);
  EXPECT_EQ(app.get("", "/v1/messages/inbox").status, 401);
}

TEST_F(MomentApi, DeletesForTheAuthorOnce) {
  const auto id = app.publish("ada", public_moment());
  app.deliver();
  EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
  EXPECT_EQ(app.call("ada", http::Method::Delete, "/v1/moments/" + id).status, 204);
  EXPECT_EQ(app.deliver().size(), 1U);
}

TEST_F(MomentApi, TellsOfAMomentOnlyWhomItIsShown) {
  const auto open = app.publish("ada", public_moment());
  const auto secret = app.publish("ada", {{"content", "x"}, {"audience", "private"}});
  app.deliver();
  const auto remove = [&](const std::string& id) {
    return app.call("bob", http::Method::Delete, "/v1/moments/" + id).status;
  };
  EXPECT_EQ(remove(open), 403);
  EXPECT_EQ(remove(secret), 404);
  EXPECT_EQ(remove("123"), 404);
  EXPECT_EQ(remove("abc"), 404);
  app.exclude("ada", "bob");
  EXPECT_EQ(remove(open), 404);
}

TEST_F(MomentApi, RefusesCursorsThatItDidNotGiveOut) {
  for (const std::string cursor : {"x", "dGltZWxpbmU6eA", "bW9tZW50czo1"}) {
    EXPECT_EQ(app.get("ada", "/v1/timeline?after=" + cursor).status, 400) << cursor;
  }
  EXPECT_EQ(app.get("ada", "/v1/timeline?limit=0").status, 400);
  EXPECT_EQ(app.get("ada", "/v1/messages/inbox?after=aW5ib3g6eA").status, 400);
  EXPECT_EQ(app.get("ada", "/v1/messages/inbox?day=yesterday").status, 400);
  EXPECT_EQ(app.get("ada", "/v1/moments").status, 400);
}

TEST_F(MomentApi, AnswersAnEmptyTimelineWithoutATable) {
  const auto response = app.get("ada", "/v1/timeline");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Json::parse(response.body), Json::parse(R"({"items":[],"before":null,"after":null})"));
}

TEST_F(MomentApi, CountsWhatOthersWroteSinceHeLooked) {
  const auto unread = [&] { return Json::parse(app.get("bob", "/v1/timeline/unread").body); };
  const auto look = [&](const std::string& id) {
    return app.call("bob", http::Method::Put, "/v1/timeline/seen", {{"up_to", id}}).status;
  };
  app.befriend("ada", "bob");
  std::vector<std::string> ids;
  for (const char* author : {"ada", "bob", "ada"}) {
    ids.push_back(app.publish(author, public_moment()));
    app.clock.advance(std::chrono::milliseconds(1));
  }
  app.deliver();
  EXPECT_EQ(unread(), Json({{"unread", 2}, {"more", false}, {"seen_up_to", nullptr}}));

  EXPECT_EQ(look(ids[1]), 204);
  EXPECT_EQ(app.deliver().size(), 1U);
  EXPECT_EQ(unread(), Json({{"unread", 1}, {"more", false}, {"seen_up_to", ids[1]}}));
  EXPECT_EQ(look(ids[0]), 204);
  EXPECT_TRUE(app.deliver().empty()) << "it only rises";
  EXPECT_EQ(look("9223372036854775807"), 422) << "of a time to come";
  EXPECT_EQ(look("abc"), 422);

  app.exclude("ada", "bob");
  EXPECT_EQ(unread()["unread"], 0) << "what he may not see is not counted";
}

TEST_F(MomentApi, RefusesRatherThanShowAnOldVisibility) {
  eventsourcing::PositionVector unseen;
  unseen.raise("social-graph", core::LogIndex(0), core::LogPosition(5));
  const auto behind =
      app.get("ada", "/v1/timeline", {.position = unseen.to_token(), .idempotency_key = ""});
  EXPECT_EQ(behind.status, 503);
  EXPECT_TRUE(behind.headers.find("Retry-After"));

  app.status.behind.reset();
  EXPECT_EQ(app.get("ada", "/v1/timeline").status, 503) << "never up to date so far";
  app.status.behind = std::chrono::seconds(5);
  EXPECT_EQ(app.get("ada", "/v1/timeline").status, 200);
  app.status.behind = std::chrono::milliseconds(5001);
  EXPECT_EQ(app.get("ada", "/v1/timeline").status, 503);
  EXPECT_EQ(app.get("ada", "/v1/moments/5").status, 503);
  EXPECT_EQ(app.get("ada", "/v1/timeline/unread").status, 503);

  app.status.behind = std::chrono::seconds(0);
  app.status.caught_up_once = false;
  EXPECT_EQ(app.get("ada", "/v1/timeline").status, 503);
}

}  // namespace
}  // namespace tideline::feed
