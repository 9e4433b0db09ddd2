// Messages from the routes to the tables and back, with a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_fixture.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::FeedApp;
using testing::Messages;
using testing::Texts;

TEST_F(Messages, DoNotCrossABlock) {
  app.block("ada", "bob");
  const Json to_ada{{"to", "ada"}, {"text", "hi"}};
  const Json to_bob{{"to", "bob"}, {"text", "hi"}};
  EXPECT_EQ(post("bob", to_ada).body, post("bob", {{"to", "nobody"}, {"text", "hi"}}).body);
  EXPECT_EQ(post("bob", to_ada).status, 404);
  EXPECT_EQ(post("ada", to_bob).status, 409);
  EXPECT_NE(post("ada", to_bob).body.find("person-blocked"), std::string::npos);
  for (const char* who : {"ada", "bob", "cleo"}) app.join(who, group);
  send_to_group("bob", "all of you");
  app.deliver();
  const std::string path = "/v1/messages/groups/" + group;
  EXPECT_EQ(texts("cleo", path), Texts{"all of you"});
  EXPECT_EQ(texts("ada", path), Texts{});
}

TEST_F(Messages, GoFromSentToInboxUnderANaturalKey) {
  const auto key = send("ada", "bob", "hi");
  EXPECT_EQ(key, "ada_" + core::format_iso8601(app.clock.now()));
  app.deliver();
  const Json expected{
      {"key", key},
      {"sender", {{"user_id", "ada"}, {"real_name", "Miss ada"}, {"avatar", nullptr}}},
      {"to", {{"user_id", "bob"}, {"real_name", "Miss bob"}, {"avatar", nullptr}}},
      {"group_id", nullptr},
      {"text", "hi"},
      {"images", Json::array()},
      {"image_previews", Json::array()},
      {"image_links", Json::array()},
      {"recalled", false},
      {"sent_at", core::format_iso8601(app.clock.now())},
      {"read", false}};
  Json sent = expected;
  sent["read"] = true;
  EXPECT_EQ(read("bob", "/v1/messages/inbox")["items"], Json::array({expected}));
  EXPECT_EQ(read("ada", "/v1/messages/sent")["items"], Json::array({sent}));
  EXPECT_EQ(texts("ada", "/v1/messages/inbox"), Texts{});
  EXPECT_EQ(texts("bob", "/v1/messages/sent"), Texts{});
  EXPECT_EQ(read("bob", "/v1/messages/" + key), expected);
  EXPECT_EQ(read("ada", "/v1/messages/" + key), sent);
  EXPECT_EQ(app.get("cleo", "/v1/messages/" + key).status, 404);
}

TEST_F(Messages, OfOneMicrosecondTakeTheNext) {
  const auto now = app.clock.now();
  send("ada", "bob", "one");
  EXPECT_EQ(send("ada", "bob", "two"),
            "ada_" + core::format_iso8601(now + std::chrono::microseconds(1)));
  EXPECT_EQ(send("cleo", "bob", "hers"), "cleo_" + core::format_iso8601(now));
  app.deliver();
  EXPECT_EQ(texts("bob", "/v1/messages/inbox").size(), 3U);
}

TEST_F(Messages, HaveKeysOfWhateverUserIds) {
  const auto key = send("b_o_b", "ada", "underscored");
  app.deliver();
  EXPECT_EQ(read("ada", "/v1/messages/" + key)["text"], "underscored");
  EXPECT_EQ(app.get("ada", "/v1/messages/b_o_b").status, 404);
  EXPECT_EQ(app.get("ada", "/v1/messages/b_o_b_yesterday").status, 404);
}

TEST_F(Messages, ReachOnlyPeopleWhoAreThere) {
  EXPECT_EQ(post("ada", {{"to", "nobody"}, {"text", "x"}}).status, 404);
  EXPECT_EQ(post("ada", {{"to", "left"}, {"text", "x"}}).status, 409);
  EXPECT_EQ(post("ada", {{"to", "ada"}, {"text", "x"}}).status, 422);
  EXPECT_EQ(post("ada", {{"to", "bob"}, {"group_id", group}, {"text", "x"}}).status, 422);
  EXPECT_EQ(post("ada", {{"text", "x"}}).status, 422);
  EXPECT_EQ(post("ada", {{"to", "bob"}, {"text", ""}}).status, 422);
  EXPECT_TRUE(app.deliver().empty());
}

TEST_F(Messages, ToAGroupAreReadByWhoIsAMemberNow) {
  EXPECT_EQ(post("ada", {{"group_id", group}, {"text", "x"}}).status, 404);
  app.join("ada", group);
  app.join("bob", group);
  const auto first = send_to_group("ada", "before cleo");
  app.clock.advance(std::chrono::seconds(1));
  app.join("cleo", group);
  const auto key = send_to_group("bob", "to all");
  app.deliver();
  const std::string path = "/v1/messages/groups/" + group;
  EXPECT_EQ(texts("bob", path), (Texts{"to all", "before cleo"}));
  EXPECT_EQ(texts("cleo", path), Texts{"to all"});
  EXPECT_EQ(app.get("cleo", "/v1/messages/" + first).status, 404);
  EXPECT_EQ(app.get("b_o_b", path).status, 404);

  app.leave("bob", group);
  app.clock.advance(std::chrono::seconds(1));
  send_to_group("cleo", "after bob");
  EXPECT_EQ(post("bob", {{"group_id", group}, {"text", "x"}}).status, 404);
  app.deliver();
  EXPECT_EQ(texts("ada", path), (Texts{"after bob", "to all", "before cleo"}));
  EXPECT_EQ(app.get("bob", path).status, 404);
  EXPECT_EQ(app.get("bob", "/v1/messages/" + first).status, 404);
  EXPECT_EQ(app.get("bob", "/v1/messages/" + key).status, 200) << "his own";
  EXPECT_EQ(texts("bob", "/v1/messages/sent"), Texts{"to all"});
  EXPECT_EQ(texts("bob", "/v1/messages/inbox"), Texts{}) << "an Inbox is personal";
  EXPECT_EQ(read("cleo", "/v1/messages/" + key)["group_id"], group);

  app.clock.advance(std::chrono::seconds(1));
  app.join("bob", group);
  EXPECT_EQ(texts("bob", path), Texts{}) << "who comes back begins anew";
  app.tell("social-graph", "GroupHistoryChanged", {{"group_id", group}, {"history", "from_start"}});
  EXPECT_EQ(texts("bob", path).size(), 3U);
  app.tell("social-graph", "GroupDissolved", {{"group_id", group}});
  EXPECT_EQ(app.get("ada", path).status, 404);
}

TEST_F(Messages, ToAGroupOfBeforeItHadAListAreInIt) {
  app.join("ada", group);
  app.join("bob", group);
  send_to_group("ada", "as it was");
  auto old = app.new_events().at(0);
  Json data = Json::parse(old.data);
  data["recipients"] = {app.id_of("bob").to_string()};
  data.erase("images");
  old.data = data.dump();
  old.schema_version = core::SchemaVersion(3);
  app.write_tables({old});
  EXPECT_EQ(texts("bob", "/v1/messages/groups/" + group), Texts{"as it was"});
  EXPECT_EQ(texts("bob", "/v1/messages/inbox"), Texts{});
  EXPECT_EQ(read("bob", "/v1/messages/inbox/unread")["unread"], 0);
}

TEST_F(Messages, ToAGroupAreHiddenFromWhoMayHaveBeenRemovedBefore) {
  app.join("ada", group);
  app.join("bob", group);
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(3), core::LogPosition(1));  // say, that bob is removed
  const auto sent = app.post("ada", "/v1/messages", {{"group_id", group}, {"text", "bob is gone"}});
  ASSERT_EQ(sent.status, 201);
  auto event = app.new_events().at(0);
  event.metadata.seen = seen.to_token();
  app.write_tables({event});
  const std::string path = "/v1/messages/groups/" + group;
  const std::string key = Json::parse(sent.body)["key"];
  EXPECT_EQ(texts("bob", path), Texts{});
  EXPECT_EQ(app.get("bob", "/v1/messages/" + key).status, 404);
  app.engine_applied.advance(seen);
  EXPECT_EQ(texts("bob", path), Texts{"bob is gone"});
  EXPECT_EQ(app.get("bob", "/v1/messages/" + key).status, 200);
}

TEST_F(Messages, AreReadByDayOrAcrossDays) {
  Texts all;
  for (int i = 0; i < 50; ++i) {
    const std::string text = "message " + std::to_string(i);
    send("ada", "bob", text);
    all.insert(all.begin(), text);
    app.clock.advance(std::chrono::hours(1));
  }
  app.deliver();
  Texts down;
  std::string path = "/v1/messages/inbox";
  Json page;
  while (true) {
    page = read("bob", path);
    for (const auto& item : page["items"]) down.push_back(item["text"]);
    if (page["after"].is_null()) break;
    path = "/v1/messages/inbox?after=" + page["after"].get<std::string>();
  }
  EXPECT_EQ(down, all);
  page = read("bob", "/v1/messages/inbox?before=" + page["before"].get<std::string>());
  EXPECT_EQ(page["items"][0]["text"], all[20]);
  EXPECT_FALSE(page["before"].is_null());
  EXPECT_EQ(texts("bob", "/v1/messages/inbox?limit=3"), Texts(all.begin(), all.begin() + 3));

  // 2027-01-15T08:00 was the first one's hour.
  EXPECT_EQ(texts("bob", "/v1/messages/inbox?day=2027-01-15"), Texts(all.end() - 16, all.end()));
  EXPECT_EQ(texts("ada", "/v1/messages/sent?day=2027-01-17&limit=100"),
            Texts(all.begin(), all.begin() + 10));
  EXPECT_EQ(texts("bob", "/v1/messages/inbox?day=2027-01-14"), Texts{});
}

class MessageRequests : public Messages {
 protected:
  int answer(const std::string& who, const std::string& whose, const std::string& what) {
    return app.call(who, http::Method::Post, "/v1/messages/requests/" + whose + "/" + what).status;
  }
  int write(const std::string& who, const std::string& to) {
    app.clock.advance(std::chrono::seconds(1));
    return post(who, {{"to", to}, {"text", "from " + who}}).status;
  }
  Texts inbox(const std::string& who) { return texts(who, "/v1/messages/inbox"); }
  Texts requests(const std::string& who) { return texts(who, "/v1/messages/requests"); }
  int unread(const std::string& who) { return read(who, "/v1/messages/inbox/unread")["unread"]; }
};

TEST_F(MessageRequests, OfAStrangerWaitApartUntilTheyAreAccepted) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(write("cleo", "ada"), 201);
  EXPECT_EQ(write("cleo", "ada"), 409);
  app.deliver();
  EXPECT_EQ(inbox("ada"), Texts{});
  EXPECT_EQ(unread("ada"), 0);
  EXPECT_EQ(requests("ada").size(), 3U);
  EXPECT_EQ(texts("cleo", "/v1/messages/sent").size(), 3U);
  const std::string key = read("ada", "/v1/messages/requests")["items"][0]["key"];
  EXPECT_EQ(read("ada", "/v1/messages/" + key)["text"], "from cleo");

  EXPECT_EQ(answer("ada", "cleo", "accept"), 204);
  EXPECT_EQ(answer("ada", "cleo", "accept"), 204);
  EXPECT_EQ(write("cleo", "ada"), 201);
  app.deliver();
  EXPECT_EQ(requests("ada"), Texts{});
  EXPECT_EQ(inbox("ada").size(), 4U);
  EXPECT_EQ(unread("ada"), 4);
  EXPECT_EQ(answer("ada", "cleo", "ignore"), 404);
}

TEST_F(MessageRequests, OfWhoIsIgnoredAreSeenByNobodyAndHeIsNotTold) {
  write("cleo", "ada");
  EXPECT_EQ(answer("ada", "cleo", "ignore"), 204);
  EXPECT_EQ(write("cleo", "ada"), 201);
  app.deliver();
  EXPECT_EQ(requests("ada"), Texts{});
  EXPECT_EQ(inbox("ada"), Texts{});
  EXPECT_EQ(texts("cleo", "/v1/messages/sent").size(), 2U);
  EXPECT_EQ(answer("ada", "cleo", "accept"), 204);
  app.deliver();
  EXPECT_EQ(inbox("ada").size(), 2U);
}

TEST_F(MessageRequests, AreAcceptedByWritingBack) {
  write("cleo", "ada");
  EXPECT_EQ(write("ada", "cleo"), 201);
  app.deliver();
  EXPECT_EQ(inbox("ada"), Texts{"from cleo"});
  EXPECT_EQ(inbox("cleo"), Texts{"from ada"}) << "who asked takes the answer";
}

TEST_F(MessageRequests, CanBeForbiddenAltogether) {
  EXPECT_EQ(read("ada", "/v1/messages/setting"), Json({{"contacts_only", false}}));
  const Json alone{{"contacts_only", true}};
  EXPECT_EQ(app.call("ada", http::Method::Put, "/v1/messages/setting", alone).status, 200);
  app.deliver();
  EXPECT_EQ(read("ada", "/v1/messages/setting"), alone);
  EXPECT_EQ(write("cleo", "ada"), 403);
  EXPECT_EQ(write("bob", "ada"), 201);
  write("ada", "cleo");
  EXPECT_EQ(write("cleo", "ada"), 201) << "ada has written to her";
  EXPECT_EQ(
      app.call("ada", http::Method::Put, "/v1/messages/setting", {{"contacts_only", 1}}).status,
      422);
}

TEST_F(MessageRequests, GoToOnlySoManyNewPeopleADay) {
  for (int i = 0; i < 50; ++i) {
    const std::string name = "person" + std::to_string(i);
    tables.enter_person(app.id_of(name), name, name);
    EXPECT_EQ(write("cleo", name), 201) << i;
  }
  EXPECT_EQ(write("cleo", "ada"), 409);
  EXPECT_EQ(write("cleo", "bob"), 201) << "a contact";
  EXPECT_EQ(write("cleo", "person0"), 201) << "not a new one";
  app.clock.advance(std::chrono::hours(24));
  EXPECT_EQ(write("cleo", "ada"), 201);
}

TEST_F(MessageRequests, AreAnsweredOnlyWhereThereAreAny) {
  EXPECT_EQ(answer("ada", "cleo", "accept"), 404);
  EXPECT_EQ(answer("ada", "no body", "accept"), 404);
  EXPECT_TRUE(app.new_events().empty());
}

class ReadMarks : public Messages {
 protected:
  http::Response mark(const std::string& who, const Json& body, const FeedApp::Extra& extra = {}) {
    return app.post(who, "/v1/messages/inbox/read", body, extra);
  }
  int marked(const std::string& who, const Json& body, const FeedApp::Extra& extra = {}) {
    const auto response = mark(who, body, extra);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body)["marked"];
  }
  int unread(const std::string& who) { return read(who, "/v1/messages/inbox/unread")["unread"]; }
  std::string send_later(const std::string& who, const std::string& to) {
    app.clock.advance(std::chrono::seconds(1));
    return send(who, to, "hi");
  }
};

TEST_F(ReadMarks, AreSetOneByOne) {
  const auto first = send_later("ada", "bob");
  const auto second = send_later("cleo", "bob");
  app.deliver();
  EXPECT_EQ(unread("bob"), 2);
  EXPECT_EQ(unread("ada"), 0);
  EXPECT_EQ(marked("bob", {{"keys", {first}}}), 1);
  app.deliver();
  EXPECT_EQ(unread("bob"), 1);
  EXPECT_EQ(read("bob", "/v1/messages/" + first)["read"], true);
  EXPECT_EQ(read("bob", "/v1/messages/inbox")["items"][0]["read"], false);
  EXPECT_EQ(read("bob", "/v1/messages/inbox")["items"][1]["read"], true);
  EXPECT_EQ(marked("bob", {{"keys", {first, second}}}), 1) << "what is read is read";
  app.deliver();
  EXPECT_EQ(unread("bob"), 0);
  EXPECT_EQ(marked("bob", {{"keys", {first, second}}}), 0);
  EXPECT_TRUE(app.deliver().empty());
}

TEST_F(ReadMarks, OfAllThatHaveArrivedUpToOne) {
  send_later("ada", "bob");
  const auto late = app.new_events();  // on its way still
  send_later("ada", "bob");
  const auto bound = send_later("cleo", "bob");
  send_later("ada", "bob");
  app.deliver();
  EXPECT_EQ(marked("bob", {{"up_to", bound}}), 2);
  app.deliver();
  EXPECT_EQ(unread("bob"), 1);
  app.write_tables(late);
  EXPECT_EQ(unread("bob"), 2) << "older, but he cannot have read it";
}

TEST_F(ReadMarks, MayComeBeforeTheirMessages) {
  const auto key = send_later("ada", "bob");
  const auto sent = app.new_events();
  app.write_tables(sent);
  EXPECT_EQ(marked("bob", {{"keys", {key}}}), 1);
  const auto marks = app.new_events();
  tables.empty({"message", "message_entry", "message_read"});
  app.write_tables(marks);
  app.write_tables(sent);
  EXPECT_EQ(unread("bob"), 0);
  EXPECT_EQ(read("bob", "/v1/messages/" + key)["read"], true);
}

TEST_F(ReadMarks, AreForOnesOwnInboxAlone) {
  const auto key = send_later("ada", "bob");
  app.deliver();
  for (const std::string who : {"ada", "cleo"}) {
    EXPECT_EQ(mark(who, {{"keys", {key}}}).status, 404) << who;
  }
  for (const Json& body : {Json::object(), Json{{"keys", {"x"}}}, Json{{"up_to", "bob_yesterday"}},
                           Json{{"keys", {key}}, {"up_to", key}}}) {
    EXPECT_EQ(mark("bob", body).status, 422) << body;
  }
  EXPECT_EQ(marked("cleo", {{"up_to", key}}), 0);
  EXPECT_EQ(unread("bob"), 1);
}

TEST_F(ReadMarks, AnswerTheSameToTheSameKey) {
  const auto key = send_later("ada", "bob");
  app.deliver();
  const FeedApp::Extra again{"", "once"};
  EXPECT_EQ(marked("bob", {{"up_to", key}}, again), 1);
  app.deliver();
  EXPECT_EQ(marked("bob", {{"up_to", key}}, again), 1) << "the first answer, not a second look";
}

TEST_F(ReadMarks, AreCountedInThePartitionOfTheReader) {
  const auto plan = tables.explain(
      "SELECT count(*) FROM message_entry"
      " WHERE owner = $1::uuid AND box = 0 AND group_id IS NULL AND NOT read",
      {app.id_of("bob")});
  EXPECT_EQ(testing::scans_of(plan, "message_entry"), 1U) << plan;
  // By the index of the unread alone, which needs no look at what has been read.
  EXPECT_NE(plan.find("Index Only Scan"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("Filter"), std::string::npos) << plan;
}

TEST_F(Messages, LieInTheOwnersPartition) {
  const auto plan = tables.explain(
      "SELECT sender FROM message_entry WHERE owner = $1::uuid AND box = $2::smallint"
      " AND group_id IS NULL"
      " ORDER BY day DESC, sent_at DESC, sender DESC LIMIT 20",
      {app.id_of("bob"), 0});
  EXPECT_EQ(testing::scans_of(plan, "message_entry"), 1U) << plan;
  EXPECT_EQ(plan.find("Sort"), std::string::npos) << plan;
}

}  // namespace
}  // namespace tideline::feed
