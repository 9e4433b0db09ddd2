// A moment's audience is changed by its author, from the route to every reader and back to him.
#include <gtest/gtest.h>

#include "../feed_app.hpp"
#include "feed_database.hpp"
#include "support/pictures.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;

class MomentAudience : public ::testing::Test {
 protected:
  MomentAudience() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
  }

  std::string publish(const Json& audience) {
    app.clock.advance(std::chrono::milliseconds(1));
    Json moment = audience;
    moment["content"] = "look";
    const auto id = app.publish("ada", moment);
    app.deliver();
    return id;
  }
  http::Response change(const std::string& who, const std::string& id, const Json& audience,
                        const FeedApp::Extra& extra = {}) {
    return app.call(who, Method::Put, "/v1/moments/" + id + "/audience", audience, extra);
  }
  bool sees(const std::string& who, const std::string& id) {
    const Json page = Json::parse(app.get(who, "/v1/timeline").body);
    const bool listed = std::any_of(page["items"].begin(), page["items"].end(),
                                    [&](const Json& item) { return item["id"] == id; });
    const int status = app.get(who, "/v1/moments/" + id).status;
    EXPECT_EQ(status, listed ? 200 : 404) << who;
    return listed;
  }
  Json shown_to_author(const std::string& id) {
    Json item = Json::parse(app.get("ada", "/v1/moments/" + id).body);
    return {{"audience", item["audience"]}, {"user_ids", item["user_ids"]}};
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(MomentAudience, IsChangedForAllReadersAndForTheAuthorsPage) {
  const auto id = publish({{"audience", "partly-visible"}, {"user_ids", {"bob"}}});
  EXPECT_TRUE(sees("bob", id));
  EXPECT_FALSE(sees("cleo", id));
  EXPECT_EQ(change("ada", id, {{"audience", "partly-invisible"}, {"user_ids", {"bob"}}}).status,
            204);
  app.deliver();
  EXPECT_FALSE(sees("bob", id));
  EXPECT_TRUE(sees("cleo", id)) << "older than what he has read, and now his";
  EXPECT_EQ(shown_to_author(id), (Json{{"audience", "partly-invisible"}, {"user_ids", {"bob"}}}));
  EXPECT_EQ(change("ada", id, {{"audience", "private"}}).status, 204);
  app.deliver();
  EXPECT_FALSE(sees("cleo", id));
  EXPECT_EQ(shown_to_author(id), (Json{{"audience", "private"}, {"user_ids", Json::array()}}));
  EXPECT_EQ(Json::parse(app.get("ada", "/v1/moments/" + id + "/audience").body),
            (Json{{"audience", "private"},
                  {"group_ids", Json::array()},
                  {"tag_ids", Json::array()},
                  {"user_ids", Json::array()}}));
}

TEST_F(MomentAudience, IsTheLastOneInTablesThatWereBuiltAnew) {
  const auto id = publish({{"audience", "public"}});
  EXPECT_EQ(change("ada", id, {{"audience", "private"}}).status, 204);
  EXPECT_EQ(change("ada", id, {{"audience", "partly-visible"}, {"user_ids", {"cleo"}}}).status,
            204);
  app.deliver();
  const auto rows = [&] {
    return tables.database
        .read([](sql::Transaction& transaction) {
          const auto found =
              transaction.execute("SELECT audience, lists::text, audience_changes FROM moment");
          return found.at(0).text(0) + found.at(0).text(1) + found.at(0).text(2);
        })
        .value();
  };
  const std::string before = rows();
  EXPECT_NE(before.find("partly-visible"), std::string::npos) << before;
  tables.empty({"moment", "moment_edit"});
  auto events =
      app.store.read_log(core::log_of("moment-" + id, FeedApp::kLogs), core::LogPosition(0), 100);
  ASSERT_TRUE(events.ok());
  app.write_tables(*events);
  app.write_tables(*events);
  EXPECT_EQ(rows(), before);
}

TEST_F(MomentAudience, IsItsAuthorsAloneToChangeAndToRead) {
  const auto id = publish({{"audience", "partly-visible"}, {"user_ids", {"bob"}}});
  const Json open{{"audience", "public"}};
  EXPECT_EQ(change("bob", id, open).status, 403);
  EXPECT_EQ(change("cleo", id, open).status, 404);
  EXPECT_EQ(app.get("bob", "/v1/moments/" + id + "/audience").status, 403);
  EXPECT_EQ(app.get("cleo", "/v1/moments/" + id + "/audience").status, 404);
  EXPECT_EQ(change("ada", "1", open).status, 404);
  EXPECT_EQ(change("ada", id, Json::object()).status, 422);
  EXPECT_EQ(change("ada", id, {{"audience", "public"}, {"user_ids", {"bob"}}}).status, 422);
  EXPECT_EQ(change("ada", id, {{"audience", "partly-visible"}, {"user_ids", {"nobody"}}}).status,
            404);
  const std::string tag = core::make_time_ordered_id(app.clock.now(), app.random);
  EXPECT_EQ(change("ada", id, {{"audience", "partly-visible"}, {"tag_ids", {tag}}}).status, 404);
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(MomentAudience, OpensOnlyOnceWhatItsAuthorHadSeenIsKnown) {
  const auto id = publish({{"audience", "private"}});
  eventsourcing::PositionVector seen;
  seen.raise("social-graph", core::LogIndex(3), core::LogPosition(1));  // say, an exclusion
  EXPECT_EQ(change("ada", id, {{"audience", "public"}}).status, 204);
  auto event = app.new_events().at(0);
  event.metadata.seen = seen.to_token();
  app.engine.apply(event);
  app.write_tables({event});
  EXPECT_FALSE(sees("bob", id));
  app.engine_applied.advance(seen);
  EXPECT_TRUE(sees("bob", id));
}

TEST_F(MomentAudience, MayBeFiveThousandPeople) {
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i) names.push_back("person" + std::to_string(i));
  const auto entered = tables.database.transact([&](sql::Transaction& transaction) {
    std::vector<core::AccountId> accounts;
    for (const std::string& name : names) accounts.push_back(app.id_of(name));
    transaction.execute(
        "INSERT INTO person (account_id, closed) SELECT a, false FROM unnest($1::uuid[]) AS a",
        {accounts});
    transaction.execute(
        "INSERT INTO person_profile (account_id, version, user_id, real_name, department, closed)"
        " SELECT a, 1, n, n, '', false FROM unnest($1::uuid[], $2::text[]) AS named (a, n)",
        {accounts, names});
  });
  ASSERT_TRUE(entered.ok()) << entered.error().message;
  app.befriend("ada", "person4999");
  const auto id = publish({{"audience", "partly-visible"}, {"user_ids", names}});
  EXPECT_TRUE(sees("person4999", id));
  EXPECT_FALSE(sees("bob", id));
  EXPECT_EQ(shown_to_author(id)["user_ids"].size(), 500U);
  const Json all = Json::parse(app.get("ada", "/v1/moments/" + id + "/audience").body);
  EXPECT_EQ(all["user_ids"], Json(names));
  names.push_back("bob");
  EXPECT_EQ(change("ada", id, {{"audience", "partly-visible"}, {"user_ids", names}}).status, 422);
}

TEST_F(MomentAudience, OfImagesAloneIsPublishedAndShown) {
  const std::string hash = app.upload("ada", test_support::picture(1, 1));
  const auto id = app.publish("ada", {{"images", {hash}}, {"audience", "public"}});
  app.deliver();
  const Json item = Json::parse(app.get("bob", "/v1/moments/" + id).body);
  EXPECT_EQ(item["content"], "");
  EXPECT_EQ(item["images"], Json({hash}));
  EXPECT_EQ(app.post("ada", "/v1/moments", {{"audience", "public"}}).status, 422);
}

TEST_F(MomentAudience, IsGoneWithItsMomentWhereverABatchEnds) {
  const auto id = app.publish("ada", {{"content", "look"}, {"audience", "public"}});
  auto events = app.deliver();
  EXPECT_EQ(change("ada", id, {{"audience", "partly-visible"}, {"user_ids", {"bob"}}}).status, 204);
  for (auto& event : app.deliver()) events.push_back(std::move(event));
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + id).status, 204);
  for (auto& event : app.deliver()) events.push_back(std::move(event));
  ASSERT_EQ(events.size(), 3U);
  const auto row = [&] {
    return core::value_of(tables.database.read([](sql::Transaction& transaction) {
      return transaction.execute("SELECT moment::text FROM moment").front().text(0);
    }));
  };
  const std::string one_by_one = row();
  for (std::size_t cut = 0; cut < events.size(); ++cut) {
    tables.empty({"moment"});
    const auto middle = events.begin() + static_cast<std::ptrdiff_t>(cut);
    app.write_tables({events.begin(), middle});
    app.write_tables({middle, events.end()});
    EXPECT_EQ(row(), one_by_one) << "a batch ends behind event " << cut;
  }
}

}  // namespace
}  // namespace tideline::feed
