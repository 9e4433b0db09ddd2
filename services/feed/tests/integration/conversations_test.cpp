// What people see of messages between two of them, of those taken back, and of images in them.
#include <gtest/gtest.h>

#include "feed/projections/moment_queries.hpp"
#include "message_fixture.hpp"
#include "support/pictures.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using test_support::picture;
using testing::FeedApp;
using testing::Texts;

class Conversations : public testing::Messages {
 protected:
  std::string say(const std::string& who, const std::string& to, const std::string& text) {
    app.clock.advance(std::chrono::seconds(1));
    return send(who, to, text);
  }
  std::string say_to_group(const std::string& who, const std::string& text) {
    app.clock.advance(std::chrono::seconds(1));
    return send_to_group(who, text);
  }
  // "bob: text (2)", newest first.
  Texts list(const std::string& who) {
    Texts found;
    const Json page = read(who, "/v1/messages/conversations");
    for (const auto& item : page["items"]) {
      const std::string name =
          item["with"].is_null() ? "group" : item["with"]["user_id"].get<std::string>();
      const Json& last = item["last"];
      found.push_back(name + ": " + (last["recalled"] ? "-" : last["text"].get<std::string>()) +
                      " (" + item["unread"].dump() + ")");
    }
    return found;
  }
  int act(const std::string& who, const std::string& path, const Json& body = nullptr) {
    return app.call(who, Method::Post, "/v1/messages/" + path, body).status;
  }
  int recall(const std::string& who, const std::string& key) {
    return app.call(who, Method::Delete, "/v1/messages/" + key).status;
  }
};

TEST_F(Conversations, HoldBothDirections) {
  for (int i = 0; i < 3; ++i) {
    say("ada", "bob", "to bob " + std::to_string(i));
    say("bob", "ada", "to ada " + std::to_string(i));
    say("cleo", "bob", "another " + std::to_string(i));
  }
  app.deliver();
  const Texts all{"to ada 2", "to bob 2", "to ada 1", "to bob 1", "to ada 0", "to bob 0"};
  EXPECT_EQ(texts("ada", "/v1/messages/conversations/bob"), all);
  EXPECT_EQ(texts("bob", "/v1/messages/conversations/ada"), all);
  EXPECT_EQ(texts("ada", "/v1/messages/conversations/cleo"), Texts{});
  EXPECT_EQ(app.get("ada", "/v1/messages/conversations/no%20body").status, 404);
  const Json page = read("ada", "/v1/messages/conversations/bob?limit=4");
  const std::string after = page["after"];
  EXPECT_EQ(texts("ada", "/v1/messages/conversations/bob?after=" + after),
            Texts(all.begin() + 4, all.end()));
}

TEST_F(Conversations, AreListedWithTheLastMessageAndWhatIsUnread) {
  for (const char* who : {"ada", "bob"}) app.join(who, group);
  say("ada", "bob", "one");
  const auto second = say("ada", "bob", "two");
  say("cleo", "bob", "hello");
  say("bob", "cleo", "hello too");
  const auto of_group = say_to_group("ada", "all of you");
  app.deliver();
  EXPECT_EQ(list("bob"), (Texts{"group: all of you (1)", "cleo: hello too (1)", "ada: two (2)"}));
  EXPECT_EQ(list("ada"), (Texts{"group: all of you (0)", "bob: two (0)"}));
  EXPECT_EQ(act("bob", "conversations/ada/read", {{"up_to", second}}), 200);
  EXPECT_EQ(act("bob", "groups/" + group + "/read", {{"up_to", of_group}}), 204);
  EXPECT_EQ(act("cleo", "groups/" + group + "/read", {{"up_to", of_group}}), 404);
  EXPECT_EQ(act("bob", "groups/" + group + "/read", {{"up_to", "nothing"}}), 422);
  app.deliver();
  EXPECT_EQ(list("bob"), (Texts{"group: all of you (0)", "cleo: hello too (1)", "ada: two (0)"}));
  EXPECT_EQ(read("bob", "/v1/messages/inbox/unread")["unread"], 1);
  EXPECT_EQ(read("bob", "/v1/messages/conversations")["items"][2]["last"]["read"], true);
  app.leave("bob", group);
  EXPECT_EQ(list("bob"), (Texts{"cleo: hello too (1)", "ada: two (0)"}));
  EXPECT_EQ(app.get("bob", "/v1/messages/conversations?before=x").status, 400);
}

TEST_F(Conversations, WithStrangersBeginWhenTheyAreAccepted) {
  say("cleo", "ada", "who are you?");
  app.deliver();
  EXPECT_EQ(list("ada"), Texts{});
  EXPECT_EQ(list("cleo"), Texts{"ada: who are you? (0)"});
  EXPECT_EQ(texts("ada", "/v1/messages/conversations/cleo"), Texts{"who are you?"});
  EXPECT_EQ(act("ada", "requests/cleo/ignore"), 204);
  app.deliver();
  EXPECT_EQ(texts("ada", "/v1/messages/conversations/cleo"), Texts{});
  EXPECT_EQ(act("ada", "requests/cleo/accept"), 204);
  app.deliver();
  EXPECT_EQ(list("ada"), Texts{"cleo: who are you? (1)"});
}

TEST_F(Conversations, ShowThePlaceOfWhatWasRecalled) {
  for (const char* who : {"ada", "bob"}) app.join(who, group);
  const auto key = say("ada", "bob", "never mind");
  const auto of_group = say_to_group("ada", "never mind");
  app.deliver();
  EXPECT_EQ(recall("bob", key), 404);
  EXPECT_EQ(recall("ada", key), 204);
  EXPECT_EQ(recall("ada", of_group), 204);
  EXPECT_EQ(recall("ada", of_group), 204) << "once more";
  app.deliver();
  EXPECT_EQ(list("bob"), (Texts{"group: - (0)", "ada: - (0)"}));
  EXPECT_EQ(read("bob", "/v1/messages/inbox/unread")["unread"], 0);
  for (const auto* one : {&key, &of_group}) {
    const Json message = read("bob", "/v1/messages/" + *one);
    EXPECT_EQ(message["recalled"], true);
    EXPECT_EQ(message["text"], nullptr);
    EXPECT_EQ(message["key"], *one);
  }
  const auto late = say("ada", "bob", "for good");
  app.clock.advance(std::chrono::minutes(2) + std::chrono::microseconds(1));
  EXPECT_EQ(recall("ada", late), 409);
  EXPECT_EQ(recall("ada", "ada_2020-01-01T00:00:00.000000Z"), 404);
}

TEST_F(Conversations, MayHoldImages) {
  for (const char* who : {"ada", "bob", "b_o_b"}) app.join(who, group);
  const std::string hash = app.upload("ada", picture(2, 2));
  const auto sent = post("ada", {{"to", "bob"}, {"images", {hash}}});
  ASSERT_EQ(sent.status, 201) << sent.body;
  app.clock.advance(std::chrono::seconds(1));
  const auto grouped = post("ada", {{"group_id", group}, {"text", "look"}, {"images", {hash}}});
  ASSERT_EQ(grouped.status, 201) << grouped.body;
  app.deliver();
  const auto image = [&](const std::string& who, const http::Response& of) {
    const std::string key = Json::parse(of.body)["key"];
    return app.get(who, "/v1/messages/" + key + "/images/" + hash);
  };
  EXPECT_EQ(uploads::hash_of(image("bob", sent).body), hash);
  EXPECT_EQ(image("b_o_b", sent).status, 404);
  EXPECT_EQ(uploads::hash_of(image("b_o_b", grouped).body), hash);
  EXPECT_EQ(image("cleo", grouped).status, 404);
  const Json item = read("bob", "/v1/messages/inbox")["items"][0];
  EXPECT_EQ(item["images"], Json({hash}));
  EXPECT_EQ(item["image_previews"][0]["width"], 2);
  const std::string link = item["image_links"][0];
  EXPECT_EQ(uploads::hash_of(app.get("", link).body), hash);
  EXPECT_EQ(app.get("", link + "&size=medium").status, 200);
  EXPECT_EQ(app.get("", link.substr(0, link.find('?'))).status, 401);
  EXPECT_EQ(post("bob", {{"to", "ada"}, {"images", {hash}}}).status, 422) << "none of his uploads";
  EXPECT_EQ(post("ada", {{"to", "bob"}, {"images", Json::array()}}).status, 422);
  app.leave("b_o_b", group);
  EXPECT_EQ(image("b_o_b", grouped).status, 404);

  const auto aged = tables.database.transact([](sql::Transaction& transaction) {
    transaction.execute("UPDATE upload SET held_at = held_at - interval '2 days'");
  });
  ASSERT_TRUE(aged.ok());
  const auto sweep = [&] {
    const auto gone = uploads::sweep(tables.database, {"feed", kReferencedUploadsSql});
    return gone.ok() ? *gone : -1;
  };
  EXPECT_EQ(sweep(), 0);
  for (const auto* one : {&sent, &grouped}) {
    EXPECT_EQ(recall("ada", Json::parse(one->body)["key"]), 204);
  }
  app.deliver();
  EXPECT_EQ(image("bob", sent).status, 404);
  EXPECT_EQ(sweep(), 1) << "what no message shows is nobody's";
}

TEST_F(Conversations, TimelinesHaveNaturalKeys) {
  for (const char* who : {"ada", "bob"}) app.join(who, group);
  say("ada", "b_o_b", "hi");
  say_to_group("ada", "all");
  app.deliver();
  const std::string day = "2027-01-15";
  const auto timeline = [&](const std::string& who, const std::string& owner_and_box) {
    return texts(who, "/v1/messages/timelines/" + owner_and_box + "_" + day);
  };
  EXPECT_EQ(timeline("b_o_b", "b_o_b_Inbox"), Texts{"hi"});
  EXPECT_EQ(timeline("ada", "ada_Sent"), (Texts{"all", "hi"}));
  EXPECT_EQ(timeline("bob", group + "_Inbox"), Texts{"all"});
  for (const std::string& key : {"ada_Sent_" + day, group + "_Sent_" + day, "bob_Outbox_" + day,
                                 std::string("bob_Inbox_yesterday"), std::string("bob_Inbox"),
                                 std::string("bob"), "_Inbox_" + day}) {
    EXPECT_EQ(app.get("bob", "/v1/messages/timelines/" + key).status, 404) << key;
  }
  EXPECT_EQ(app.get("cleo", "/v1/messages/timelines/" + group + "_Inbox_" + day).status, 404);
}

TEST_F(Conversations, LieInOnePartitionOfEachIndex) {
  const auto plan = tables.explain(
      "SELECT sent_at FROM group_message WHERE group_id = $1::text AND sent_at >= $2::timestamptz"
      " AND NOT sender = ANY ($3::uuid[]) ORDER BY sent_at DESC, sender DESC LIMIT 20",
      {group, app.clock.now(), std::vector<core::AccountId>{}});
  EXPECT_EQ(testing::scans_of(plan, "group_message"), 1U) << plan;
  EXPECT_EQ(plan.find("Sort"), std::string::npos) << plan;
}

}  // namespace
}  // namespace tideline::feed
