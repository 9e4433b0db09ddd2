// What everybody may know of a person, on its way to the compacted topic.

#include "accounts/projections/profile_feed.hpp"

#include <gtest/gtest.h>

#include "accounts_app.hpp"
#include "support/pictures.hpp"

namespace tideline::accounts::testing {
namespace {

class Topic final : public eventsourcing::StatePublisher {
 public:
  core::Status publish(sql::Transaction&, const std::vector<eventsourcing::StateUpdate>& updates,
                       const eventsourcing::PositionVector&) override {
    if (failing) return core::internal_error("no broker");
    for (const auto& update : updates) latest[update.key] = json::parse(update.value.value());
    published += updates.size();
    return core::success();
  }
  std::map<std::string, json> latest;
  std::size_t published = 0;
  bool failing = false;
};

class NoTransaction final : public sql::Transaction {
 public:
  sql::Rows execute(std::string_view, const sql::Params&) override {
    CHECK(false, "the feed has no tables");
    return {};
  }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {
    CHECK(false, "the feed has no tables");
  }
};

class Feed : public ::testing::Test {
 protected:
  // Everything that happened since the last call.
  void apply_new() {
    const auto events = app.events();
    for (const auto& event : events) {
      if (event.visibility == eventsourcing::Visibility::Private) continue;
      if (!seen.insert(event.id).second) continue;
      feed.apply(event);
    }
  }
  void flush() {
    feed.flush(transaction);
    feed.flushed();
  }
  std::string id(const std::string& user_id) { return app.account_ids.of(user_id).to_string(); }

  AccountsApp app;
  Topic topic;
  NoTransaction transaction;
  ProfileFeed feed{app.profiles, topic};
  std::set<std::string> seen;
};

TEST_F(Feed, PublishesTheLatestPublicStateAndNoMore) {
  const Tokens tokens = app.enrol("7");
  app.enrol("8");
  app.call(http::Method::Patch, "/v1/me", {{"department", "Physics"}}, {.token = tokens.access});
  apply_new();
  flush();
  EXPECT_EQ(topic.published, 2u);
  EXPECT_EQ(topic.latest[id("7")], (json{{"account_id", id("7")},
                                         {"version", 3},
                                         {"user_id", "7"},
                                         {"real_name", "Ada 7"},
                                         {"department", "Physics"},
                                         {"avatar", nullptr},
                                         {"closed", false}}));
  EXPECT_EQ(topic.latest[id("8")].at("version"), 1);
  flush();
  EXPECT_EQ(topic.published, 2u);
}

TEST_F(Feed, TellsTheAvatarButNotTheBio) {
  const Tokens tokens = app.enrol("7");
  app.call(http::Method::Patch, "/v1/me", {{"bio", "Low tide"}}, {.token = tokens.access});
  const http::Response put =
      app.call(http::Method::Put, "/v1/me/avatar", json(test_support::picture(64, 64)),
               {.token = tokens.access});
  ASSERT_EQ(put.status, 200) << put.body;
  apply_new();
  flush();
  const std::string path = json::parse(put.body).at("avatar");
  const std::string hash = path.substr(path.rfind('/') + 1);
  EXPECT_EQ(topic.latest[id("7")].at("avatar"), hash);
  EXPECT_EQ(topic.latest[id("7")].dump().find("Low tide"), std::string::npos);
  app.call(http::Method::Delete, "/v1/me/avatar", nullptr, {.token = tokens.access});
  apply_new();
  flush();
  EXPECT_EQ(topic.latest[id("7")].at("avatar"), nullptr);
}

TEST_F(Feed, SaysOfAClosedAccountThatItIsClosed) {
  const Tokens tokens = app.enrol("7");
  apply_new();
  flush();
  app.call(http::Method::Delete, "/v1/me", {{"password", app.kPassword}}, {.token = tokens.access});
  apply_new();
  flush();
  const json closed{{"account_id", id("7")}, {"version", 3},          {"user_id", nullptr},
                    {"real_name", nullptr},  {"department", nullptr}, {"avatar", nullptr},
                    {"closed", true}};
  EXPECT_EQ(topic.latest[id("7")], closed);

  // A replay, in two batches: the registration can no longer be read and says nothing.
  ProfileFeed replay(app.profiles, topic);
  const auto events = app.events();
  for (const char* type : {"AccountRegistered", "AccountClosed"}) {
    for (const auto& event : events) {
      if (event.type == type) replay.apply(event);
    }
    replay.flush(transaction);
    replay.flushed();
    EXPECT_EQ(topic.latest[id("7")], closed);
  }
}

// The process may die between the append and the erasing.
TEST_F(Feed, ErasesTheKeyOfAClosedAccount) {
  app.enrol("7");
  const auto account = app.account_ids.of("7");
  eventsourcing::RecordedEvent closed;
  closed.source = "accounts";
  closed.type = "AccountClosed";
  closed.version = core::StreamVersion(3);
  closed.data = json{{"account_id", account.to_string()},
                     {"closed_at", core::format_iso8601(app.clock.now())}}
                    .dump();
  ASSERT_TRUE(app.keys.find(account).value().has_value());
  feed.apply(closed);
  flush();
  EXPECT_FALSE(app.keys.find(account).value().has_value());
}

TEST_F(Feed, TriesAgainWhenTheTopicIsAway) {
  app.enrol("7");
  apply_new();
  topic.failing = true;
  try {
    feed.flush(transaction);
    ADD_FAILURE() << "the flush must fail";
  } catch (const sql::TransactionFailed& failed) {
    EXPECT_TRUE(failed.error().retryable);
  }
  topic.failing = false;
  flush();
  EXPECT_EQ(topic.published, 1u);
}

}  // namespace
}  // namespace tideline::accounts::testing
