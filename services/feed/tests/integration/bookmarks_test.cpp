// Lists of bookmarks from the routes to the table and back, with a real PostgreSQL: exactly the
// bookmarked moments that their owner may see at the time of reading.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "../feed_app.hpp"
#include "feed/projections/bookmark_queries.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using http::Method;
using testing::FeedApp;
using testing::FeedDatabase;
using Ids = std::vector<std::string>;

class Bookmarks : public ::testing::Test {
 protected:
  Bookmarks() {
    for (const std::string name : {"ada", "bob", "cleo"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    app.befriend("ada", "bob");
  }

  std::string publish(const std::string& audience = "public") {
    app.clock.advance(std::chrono::minutes(1));
    const auto id = app.publish("ada", {{"content", "hello"}, {"audience", audience}});
    app.deliver();
    return id;
  }
  void bookmark(const std::string& id, Method method = Method::Put) {
    app.clock.advance(std::chrono::minutes(1));
    const std::string path = "/v1/moments/" + id + "/bookmark";
    EXPECT_EQ(app.call("bob", method, path).status, 204);
    app.deliver();
  }
  Json page(const std::string& who, const std::string& query = "") {
    const auto response = app.get(who, "/v1/moments/bookmarks" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  // All pages of so many.
  Ids all(const std::string& who, int limit) {
    Ids found;
    std::string query = "?limit=" + std::to_string(limit);
    for (;;) {
      const Json read = page(who, query);
      EXPECT_LE(read["items"].size(), static_cast<std::size_t>(limit));
      for (const auto& item : read["items"]) {
        found.push_back(item["moment"]["id"]);
        EXPECT_EQ(item["moment"]["bookmarked"], true);
      }
      if (read["after"].is_null()) return found;
      query = "?limit=" + std::to_string(limit) + "&after=" + read["after"].get<std::string>();
    }
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
};

TEST_F(Bookmarks, AreTheirOwnersAloneNewestFirst) {
  const auto older = publish();
  const auto newer = publish();
  bookmark(newer);
  bookmark(older);
  const Json read = page("bob");
  ASSERT_EQ(read["items"].size(), 2U);
  EXPECT_EQ(read["items"][0]["moment"]["id"], older) << "bookmarked later";
  EXPECT_EQ(read["items"][0]["moment"]["content"], "hello");
  EXPECT_EQ(read["items"][0]["bookmarked_at"], core::format_iso8601(app.clock.now()));
  EXPECT_EQ(read["items"][1]["moment"]["id"], newer);
  EXPECT_EQ(page("ada")["items"], Json::array());
  bookmark(older, Method::Delete);
  EXPECT_EQ(all("bob", 1), Ids{newer});
}

TEST_F(Bookmarks, AreMarkedForTheirOwnerAloneWhereverAMomentIsShown) {
  const auto id = publish();
  const auto is_marked = [&](const std::string& who, const std::string& path) {
    const auto response = app.get(who, path);
    EXPECT_EQ(response.status, 200) << response.body;
    const Json read = Json::parse(response.body);
    return (read.contains("items") ? read["items"][0] : read)["bookmarked"].get<bool>();
  };
  const std::vector<std::string> paths{"/v1/moments/" + id, "/v1/timeline",
                                       "/v1/moments?author=ada"};
  const auto expect = [&](bool bobs) {
    for (const std::string& path : paths) {
      EXPECT_EQ(is_marked("bob", path), bobs) << path;
      EXPECT_FALSE(is_marked("ada", path)) << path << ", who has not bookmarked it";
    }
  };
  expect(false);
  bookmark(id);
  expect(true);
  bookmark(id, Method::Delete);
  expect(false);
}

TEST_F(Bookmarks, ComeBackWhenTheirMomentMayBeSeenAgain) {
  const auto first = publish();
  const auto second = publish("partly-invisible");
  bookmark(first);
  bookmark(second);
  const auto narrow = [&](const std::string& audience) {
    const auto changed = app.call("ada", Method::Put, "/v1/moments/" + second + "/audience",
                                  {{"audience", audience}});
    EXPECT_EQ(changed.status, 204) << changed.body;
    app.deliver();
  };
  narrow("private");
  EXPECT_EQ(all("bob", 2), Ids{first});
  narrow("public");
  EXPECT_EQ(all("bob", 2), (Ids{second, first}));
  app.block("ada", "bob");
  EXPECT_EQ(all("bob", 2), Ids{});
  app.tell("social-graph", "PersonUnblocked",
           {{"by", app.id_of("ada").to_string()}, {"other", app.id_of("bob").to_string()}});
  EXPECT_EQ(all("bob", 2), (Ids{second, first}));
  EXPECT_EQ(app.call("ada", Method::Delete, "/v1/moments/" + first).status, 204);
  app.deliver();
  EXPECT_EQ(all("bob", 2), Ids{second});
  app.tell("accounts", "AccountClosed", {{"account_id", app.id_of("ada").to_string()}});
  EXPECT_EQ(all("bob", 2), Ids{});
}

TEST_F(Bookmarks, AreReadInOneDirection) {
  bookmark(publish());
  bookmark(publish());
  const Json read = page("bob", "?limit=1");
  const auto after = read["after"].get<std::string>();
  EXPECT_EQ(app.get("bob", "/v1/moments/bookmarks?before=" + after).status, 400);
  EXPECT_EQ(app.get("bob", "/v1/moments/bookmarks?after=x").status, 400);
}

// Whatever happens to the moments, each of them is listed while it can be read by its id, and in
// the order in which they were bookmarked last.
TEST_F(Bookmarks, AreWhatTheirOwnerMaySeeInRandomHistories) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  app.compares = false;
  Ids moments, order;
  for (int i = 0; i < 12; ++i) moments.push_back(publish());
  const std::vector<std::string> audiences{"public", "private", "partly-visible",
                                           "partly-invisible"};
  for (int step = 0; step < 150; ++step) {
    const auto& id = moments[random() % moments.size()];
    const std::string path = "/v1/moments/" + id;
    app.clock.advance(std::chrono::seconds(random() % 2));
    switch (random() % 8) {
      case 0:
        app.call("ada", Method::Put, path + "/audience", {{"audience", audiences[random() % 4]}});
        break;
      case 1:
        if (random() % 10 == 0) app.call("ada", Method::Delete, path);
        break;
      case 2: {
        const bool removed = app.call("bob", Method::Delete, path + "/bookmark").status == 204;
        if (removed) std::erase(order, id);
        break;
      }
      default: {
        const bool set = app.call("bob", Method::Put, path + "/bookmark").status == 204;
        if (set && std::ranges::find(order, id) == order.end()) order.insert(order.begin(), id);
      }
    }
    app.clock.advance(std::chrono::microseconds(1));
    if (random() % 3 != 0) continue;
    app.deliver();
    Ids expected;
    for (const auto& bookmarked : order) {
      if (app.get("bob", "/v1/moments/" + bookmarked).status == 200) expected.push_back(bookmarked);
    }
    ASSERT_EQ(all("bob", 1 + static_cast<int>(random() % 5)), expected) << "step " << step;
  }
}

TEST_F(Bookmarks, AreReadFromOnePartitionByTheirIndex) {
  const auto plan = tables.explain(
      kListBookmarksSql, {app.id_of("bob"), app.clock.now(), core::MomentId(7), std::size_t{20}});
  EXPECT_EQ(testing::scans_of(plan, "bookmark"), 1U) << plan;
  EXPECT_THAT(plan, ::testing::HasSubstr("_owner_bookmarked_at_moment_idx"));
}

}  // namespace
}  // namespace tideline::feed
