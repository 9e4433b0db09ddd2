// Polls through the routes, on a real PostgreSQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "../feed_app.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;

class Polls : public ::testing::Test {
 protected:
  Polls() {
    for (const std::string name : {"ada", "bob", "cleo", "dora"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
    app.befriend("ada", "cleo");
    id = open(false, "public");
  }

  std::string open(bool multiple, const char* audience) {
    const auto closes_at = core::format_iso8601(app.clock.now() + std::chrono::hours(24));
    const auto moment = app.publish("ada", {{"content", "when?"},
                                            {"audience", audience},
                                            {"poll",
                                             {{"options", {"at eight", "at nine", "never"}},
                                              {"multiple", multiple},
                                              {"closes_at", closes_at}}}});
    app.deliver();
    return moment;
  }
  // "" or the type of the problem.
  std::string vote(const std::string& who, const std::string& moment, const Json& choices) {
    const auto path = "/v1/moments/" + moment + "/poll/vote";
    const auto response = app.call(who, Method::Put, path, {{"choices", choices}});
    app.deliver();
    if (response.status == 204) return "";
    const std::string type = Json::parse(response.body)["type"];
    return type.substr(type.rfind(':') + 1);
  }
  Json poll(const std::string& who, const std::string& moment) {
    const auto response = app.get(who, "/v1/moments/" + moment + "/poll");
    EXPECT_EQ(response.status, 200) << response.body;
    return response.status == 200 ? Json::parse(response.body) : Json();
  }
  Json votes(const std::string& who, const std::string& moment) {
    const Json read = poll(who, moment);
    Json counts = Json::array();
    for (const auto& option : read["options"]) counts.push_back(option["votes"]);
    return counts;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string id;
  const Json unknown{nullptr, nullptr, nullptr};
};

TEST_F(Polls, ShowTheirResultToVotersAndTheAuthorAndToAllOnceClosed) {
  EXPECT_EQ(Json::parse(app.get("bob", "/v1/moments/" + id).body)["has_poll"], true);
  EXPECT_EQ(votes("ada", id), Json({0, 0, 0}));
  EXPECT_EQ(votes("bob", id), unknown);
  EXPECT_EQ(vote("bob", id, {"2"}), "");
  EXPECT_EQ(votes("bob", id), Json({0, 1, 0}));
  EXPECT_EQ(votes("cleo", id), unknown);
  EXPECT_EQ(poll("cleo", id)["voters"], nullptr);
  EXPECT_EQ(poll("cleo", id)["voted"], false);
  const Json of_bob = poll("bob", id);
  EXPECT_EQ(of_bob["voters"], 1);
  EXPECT_EQ(of_bob["voted"], true);
  EXPECT_EQ(of_bob["closed"], false);
  EXPECT_EQ(of_bob["options"][1], Json({{"text", "at nine"}, {"chosen", true}, {"votes", 1}}));
  app.clock.advance(std::chrono::hours(24));
  EXPECT_EQ(votes("cleo", id), Json({0, 1, 0}));
  EXPECT_EQ(poll("dora", id)["closed"], true);
  EXPECT_EQ(vote("cleo", id, {"1"}), "poll-closed");
}

TEST_F(Polls, TakeOneVoteOfEachWhoSeesTheMoment) {
  EXPECT_EQ(vote("bob", id, {"1"}), "");
  EXPECT_EQ(vote("bob", id, {"1"}), "");
  EXPECT_EQ(vote("bob", id, {"2"}), "already-voted");
  EXPECT_EQ(vote("cleo", id, {"1", "2"}), "poll-choices");
  EXPECT_EQ(vote("cleo", id, {"4"}), "poll-choices");
  EXPECT_EQ(votes("ada", id), Json({1, 0, 0}));
  const auto several = open(true, "partly-invisible");
  EXPECT_EQ(vote("cleo", several, {"1", "3"}), "");
  EXPECT_EQ(votes("cleo", several), Json({1, 0, 1}));
  EXPECT_EQ(poll("cleo", several)["voters"], 1);
  EXPECT_EQ(vote("dora", several, {"1"}), "no-such-moment");
  EXPECT_EQ(app.get("dora", "/v1/moments/" + several + "/poll").status, 404);
  const auto plain = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
  app.deliver();
  EXPECT_EQ(vote("bob", plain, {"1"}), "no-such-poll");
  EXPECT_EQ(app.get("bob", "/v1/moments/" + plain + "/poll").status, 404);
  EXPECT_EQ(Json::parse(app.get("bob", "/v1/moments/" + plain).body)["has_poll"], false);
}

TEST_F(Polls, LoseTheVoteOfWhoLeavesAndAllWithTheMoment) {
  EXPECT_EQ(vote("bob", id, {"1"}), "");
  EXPECT_EQ(vote("cleo", id, {"1"}), "");
  EXPECT_EQ(votes("ada", id), Json({2, 0, 0}));
  const auto left = tables.database.transact([&](sql::Transaction& transaction) {
    transaction.execute("UPDATE person SET closed = true WHERE account_id = $1::uuid",
                        {app.id_of("bob")});
  });
  EXPECT_TRUE(left.ok());
  EXPECT_EQ(votes("ada", id), Json({1, 0, 0}));
  EXPECT_EQ(poll("ada", id)["voters"], 1);
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + id).status, 204);
  app.deliver();
  EXPECT_EQ(app.get("ada", "/v1/moments/" + id + "/poll").status, 404);
  EXPECT_EQ(vote("bob", id, {"1"}), "no-such-moment");
  const auto kept = tables.database.read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT 1 FROM poll").size();
  });
  EXPECT_EQ(*kept, 0U);
}

TEST_F(Polls, AreSealedUnderTheAuthorsKey) {
  const auto stored = tables.database.read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT options FROM poll").front().text(0);
  });
  EXPECT_EQ(stored->find("eight"), std::string::npos);
  ASSERT_TRUE(app.cipher.destroy(app.id_of("ada")));
  EXPECT_EQ(app.get("bob", "/v1/moments/" + id + "/poll").status, 404);
}

TEST_F(Polls, AreExportedWithTheirVotes) {
  EXPECT_EQ(vote("bob", id, {"3"}), "");
  const Json of_ada = Json::parse(app.get("ada", "/v1/feed-export").body)["items"];
  EXPECT_EQ(of_ada[0]["data"]["poll"]["options"], Json({"at eight", "at nine", "never"}));
  const Json of_bob = Json::parse(app.get("bob", "/v1/feed-export").body)["items"];
  EXPECT_EQ(of_bob[0]["section"], "poll_votes");
  EXPECT_EQ(of_bob[0]["data"]["moment_id"], id);
  EXPECT_EQ(of_bob[0]["data"]["choices"], Json({"3"}));
}

// The law of results: of random votes, each reader sees the sum of those of who is there, or
// nothing.
TEST_F(Polls, CountAsTheyWereVoted) {
  const auto seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 numbers(seed);
  const std::vector<std::string> people{"ada", "bob", "cleo", "dora"};
  for (int trial = 0; trial < 30; ++trial) {
    const bool multiple = numbers() % 2 == 0;
    const auto moment = open(multiple, "public");
    std::map<std::string, std::set<std::size_t>> given;
    for (int attempt = 0; attempt < 6; ++attempt) {
      const std::string& who = people[numbers() % people.size()];
      std::set<std::size_t> wanted;
      for (std::size_t option = 0; option < 3; ++option) {
        if (numbers() % 2 == 0) wanted.insert(option);
      }
      if (wanted.empty()) continue;
      Json choices = Json::array();
      for (const auto option : wanted) choices.push_back(std::to_string(option + 1));
      const bool fits = multiple || wanted.size() == 1;
      const bool is_new = !given.contains(who);
      const auto refused = vote(who, moment, choices);
      EXPECT_EQ(refused.empty(), is_new ? fits : given[who] == wanted) << refused;
      if (is_new && fits) given[who] = wanted;
    }
    std::vector<int> sums(3);
    for (const auto& [who, chosen] : given) {
      for (const auto option : chosen) ++sums[option];
    }
    for (const auto& reader : people) {
      const bool sees = reader == "ada" || given.contains(reader);
      EXPECT_EQ(votes(reader, moment), sees ? Json(sums) : unknown) << reader;
    }
  }
}

}  // namespace
}  // namespace tideline::feed
