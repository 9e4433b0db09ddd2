// Reading back over HTTP what commands wrote: lists and their cursors, names, tokens, and what
// nobody may learn.

#include <gmock/gmock.h>

#include "social-graph/tests/integration/graph_database.hpp"

namespace tideline::social_graph {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GraphQueries : public GraphDatabase {
 protected:
  void SetUp() override {
    for (const char* user_id : {"ada", "bob", "eve"}) know(user_id);
  }
  Reply page(const std::string& list, const std::string& side, const json& cursor) {
    return service.get(list + "?limit=4&" + side + "=" + cursor.get<std::string>(), "ada");
  }
};

TEST_F(GraphQueries, ContactsAndRequestsAreListedFromBothSides) {
  service.post("/v1/contact-requests", "ada", {{"user_id", "bob"}});
  service.befriend("ada", "eve");
  project();
  EXPECT_THAT(users_of(service.get("/v1/contact-requests?direction=outgoing", "ada")),
              ElementsAre("bob"));
  EXPECT_THAT(users_of(service.get("/v1/contact-requests", "bob")), ElementsAre("ada"));
  EXPECT_THAT(users_of(service.get("/v1/contacts", "ada")), ElementsAre("eve"));
  EXPECT_THAT(users_of(service.get("/v1/contacts", "eve")), ElementsAre("ada"));
  const Reply eve = service.get("/v1/contacts/eve", "ada");
  EXPECT_EQ(eve.status, 200);
  EXPECT_EQ(eve.body, json({{"user_id", "eve"},
                            {"real_name", "Name of eve"},
                            {"avatar", nullptr},
                            {"since", "2026-01-02T03:04:05.678901Z"}}));
  EXPECT_EQ(eve.header("ETag"), "\"2\"");
  EXPECT_EQ(service.get("/v1/contacts/bob", "ada").problem(), "no-such-contact");

  service.remove("/v1/contacts/ada", "eve");
  project();
  EXPECT_THAT(users_of(service.get("/v1/contacts", "ada")), IsEmpty());
  EXPECT_EQ(service.get("/v1/contacts/eve", "ada").status, 404);
}

TEST_F(GraphQueries, PagesMeetWithoutSeamOrRepeatInBothDirections) {
  for (int i = 0; i < 11; ++i) {
    const std::string user_id = "friend" + std::to_string(10 + i);
    know(user_id);
    if (i % 3 != 0) service.clock.advance(std::chrono::microseconds(1));  // some at one time
    service.befriend("ada", user_id);
  }
  project();
  const Reply all = service.get("/v1/contacts?limit=100", "ada");
  ASSERT_EQ(users_of(all).size(), 11U);
  EXPECT_TRUE(all.body.at("before").is_null() && all.body.at("after").is_null());

  std::vector<std::string> forward;
  Reply at = service.get("/v1/contacts?limit=4", "ada");
  EXPECT_TRUE(at.body.at("before").is_null());
  json last = at.body;
  while (true) {
    for (const auto& user : users_of(at)) forward.push_back(user);
    last = at.body;
    if (at.body.at("after").is_null()) break;
    at = page("/v1/contacts", "after", at.body.at("after"));
  }
  EXPECT_EQ(forward, users_of(all));

  std::vector<std::string> backward = users_of({200, last, {}});
  for (json body = last; !body.at("before").is_null();) {
    const Reply earlier = page("/v1/contacts", "before", body.at("before"));
    const auto users = users_of(earlier);
    backward.insert(backward.begin(), users.begin(), users.end());
    EXPECT_FALSE(earlier.body.at("after").is_null());
    body = earlier.body;
  }
  EXPECT_EQ(backward, users_of(all));
}

TEST_F(GraphQueries, ACursorOfAnotherListIsRefused) {
  for (int i = 0; i < 5; ++i) {
    know("friend" + std::to_string(i));
    service.befriend("ada", "friend" + std::to_string(i));
  }
  project();
  const std::string cursor = service.get("/v1/contacts?limit=4", "ada").body.at("after");
  EXPECT_EQ(service.get("/v1/contacts?after=" + cursor, "ada").status, 200);
  EXPECT_EQ(service.get("/v1/follows?after=" + cursor, "ada").status, 400);
  EXPECT_EQ(service.get("/v1/tags?after=" + cursor, "ada").status, 400);
}

TEST_F(GraphQueries, ANameThatIsNotKnownYetIsNull) {
  know_without_profile("new");
  service.befriend("ada", "new");
  project();
  const Reply contacts = service.get("/v1/contacts", "ada");
  EXPECT_EQ(contacts.body.at("items").at(0).at("real_name"), nullptr);
  EXPECT_EQ(service.get("/v1/contacts/new", "ada").body.at("user_id"), "new");
}

TEST_F(GraphQueries, FollowsAndSettingsAreListed) {
  service.put("/v1/follows/bob", "ada");
  service.put("/v1/moment-settings/bob", "ada",
              {{"hides_other", true}, {"hidden_from_other", false}});
  service.put("/v1/moment-settings/eve", "ada",
              {{"hides_other", true}, {"hidden_from_other", true}});
  project();
  EXPECT_THAT(users_of(service.get("/v1/follows", "ada")), ElementsAre("bob"));
  EXPECT_THAT(users_of(service.get("/v1/follows?direction=followers", "bob")), ElementsAre("ada"));
  EXPECT_EQ(service.get("/v1/moment-settings", "ada").body,
            json({{"hidden_count", 2}, {"hidden_from_count", 1}}));
  EXPECT_EQ(users_of(service.get("/v1/moment-settings/hidden", "ada")).size(), 2U);
  EXPECT_THAT(users_of(service.get("/v1/moment-settings/hidden-from", "ada")), ElementsAre("eve"));
  const Reply one = service.get("/v1/moment-settings/bob", "ada");
  EXPECT_EQ(one.body.at("hides_other"), true);
  EXPECT_EQ(one.header("ETag"), "\"1\"");
}

TEST_F(GraphQueries, NobodyLearnsWhatOthersSetAboutHim) {
  service.put("/v1/moment-settings/bob", "ada",
              {{"hides_other", true}, {"hidden_from_other", true}});
  service.befriend("ada", "bob");
  const std::string tag = service.create_tag("ada", "bores");
  service.put("/v1/tags/" + tag + "/contacts/bob", "ada");
  project();
  EXPECT_EQ(service.get("/v1/moment-settings/ada", "bob").body.at("hidden_from_other"), false);
  EXPECT_EQ(service.get("/v1/moment-settings", "bob").body,
            json({{"hidden_count", 0}, {"hidden_from_count", 0}}));
  EXPECT_THAT(service.get("/v1/tags", "bob").body.at("items"), IsEmpty());
  EXPECT_THAT(service.get("/v1/contacts/ada/tags", "bob").body.at("items"), IsEmpty());
  EXPECT_EQ(service.get("/v1/tags/" + tag, "bob").problem(), "no-such-tag");
  EXPECT_EQ(service.get("/v1/tags/" + tag + "/contacts", "bob").problem(), "no-such-tag");
}

TEST_F(GraphQueries, TagsAreReadByBothIndexesAndOutliveTheContact) {
  service.befriend("ada", "bob");
  service.befriend("ada", "eve");
  const std::string family = service.create_tag("ada", "family");
  service.clock.advance(std::chrono::seconds(1));
  const std::string chess = service.create_tag("ada", "chess");
  service.put("/v1/tags/" + family + "/contacts/bob", "ada");
  service.put("/v1/tags/" + chess + "/contacts/bob", "ada");
  service.put("/v1/tags/" + chess + "/contacts/eve", "ada");
  service.remove("/v1/contacts/bob", "ada");
  project();
  const Reply tags = service.get("/v1/tags", "ada");
  ASSERT_EQ(tags.body.at("items").size(), 2U);
  EXPECT_EQ(tags.body.at("items").at(0).at("name"), "chess");
  EXPECT_EQ(tags.body.at("items").at(0).at("contact_count"), 2);
  EXPECT_EQ(users_of(service.get("/v1/tags/" + chess + "/contacts", "ada")).size(), 2U);
  EXPECT_EQ(service.get("/v1/contacts/bob/tags", "ada").body.at("items").size(), 2U);

  service.remove("/v1/tags/" + chess, "ada");
  project();
  EXPECT_EQ(service.get("/v1/tags/" + chess, "ada").status, 404);
  const Reply left = service.get("/v1/contacts/bob/tags", "ada");
  ASSERT_EQ(left.body.at("items").size(), 1U);
  EXPECT_EQ(left.body.at("items").at(0).at("id"), family);

  ASSERT_TRUE(service.cipher.destroy(service.account("ada")).ok());
  EXPECT_EQ(service.get("/v1/tags/" + family, "ada").body.at("name"), nullptr);
}

TEST_F(GraphQueries, AGroupIsSeenByWhoMaySeeIt) {
  const std::string open = service.create_group("ada", "chess", false);
  const std::string closed = service.create_group("ada", "poker", true);
  service.post("/v1/groups/" + closed + "/invitations", "ada", {{"user_id", "bob"}});
  project();
  EXPECT_EQ(service.get("/v1/groups/" + open, "eve").body.at("membership"), "none");
  EXPECT_EQ(service.get("/v1/groups/" + closed, "eve").problem(), "no-such-group");
  EXPECT_EQ(service.get("/v1/groups/" + closed, "bob").body.at("membership"), "invited");
  EXPECT_EQ(service.get("/v1/groups?membership=invited", "bob").body.at("items").size(), 1U);
  EXPECT_THAT(service.get("/v1/groups", "bob").body.at("items"), IsEmpty());
  EXPECT_EQ(service.get("/v1/groups/" + closed + "/members", "eve").status, 404);
  EXPECT_EQ(service.get("/v1/groups/" + closed + "/members", "bob").status, 403);
  EXPECT_EQ(service.get("/v1/groups/" + open + "/members", "eve").problem(), "members-only");
  EXPECT_EQ(service.get("/v1/groups/" + closed + "/members/ada", "eve").problem(), "no-such-group");

  service.post("/v1/groups/" + closed + "/members", "bob");
  project();
  const Reply card = service.get("/v1/groups/" + closed, "bob");
  EXPECT_EQ(card.body.at("name"), "poker");
  EXPECT_EQ(card.body.at("member_count"), 2);
  EXPECT_EQ(card.body.at("creator").at("user_id"), "ada");
  EXPECT_EQ(users_of(service.get("/v1/groups/" + closed + "/members", "bob")).size(), 2U);
  EXPECT_EQ(service.get("/v1/groups/" + closed + "/members/ada", "bob").status, 200);
  EXPECT_EQ(service.get("/v1/groups/" + closed + "/members/eve", "bob").problem(),
            "no-such-member");
  EXPECT_EQ(service.get("/v1/groups/" + closed + "/members/me", "bob").status, 200);
  EXPECT_EQ(service.get("/v1/groups/" + open + "/members/me", "bob").problem(), "no-such-member");

  service.remove("/v1/groups/" + closed, "ada");
  project();
  EXPECT_EQ(service.get("/v1/groups/" + closed, "ada").status, 404);
  EXPECT_EQ(service.get("/v1/groups", "ada").body.at("items").size(), 1U);
}

TEST_F(GraphQueries, ATokenIsWaitedForAndThenStaleOrRefused) {
  const std::string group = service.create_group("ada", "chess", false);
  const Reply asked = service.post("/v1/contact-requests", "ada", {{"user_id", "bob"}});
  const std::vector<std::pair<std::string, std::string>> token{
      {"Tideline-Position", asked.header("Tideline-Position")}};
  const Reply stale = service.get("/v1/contact-requests?direction=outgoing", "ada", token);
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.header("Tideline-Stale"), "true");
  const Reply refused = service.get("/v1/groups/" + group, "ada", token);
  EXPECT_EQ(refused.status, 503) << "who may see a group is not answered from old tables";
  EXPECT_NE(refused.header("Retry-After"), "");

  project();
  const Reply fresh = service.get("/v1/contact-requests?direction=outgoing", "ada", token);
  EXPECT_EQ(fresh.header("Tideline-Stale"), "");
  EXPECT_THAT(users_of(fresh), ElementsAre("bob"));
  EXPECT_EQ(service.get("/v1/groups/" + group, "ada", token).status, 200);
}

TEST_F(GraphQueries, NamesLieSealedInTheTables) {
  service.create_tag("ada", "plainly readable");
  service.create_group("ada", "plainly readable", false);
  project();
  const auto found = read([](sql::Transaction& transaction) {
    return transaction
        .execute(
            "SELECT count(*) FROM (SELECT name FROM tag UNION ALL SELECT name FROM"
            " social_group) AS names WHERE name LIKE '1.%' AND name NOT LIKE '%plainly%'")
        .at(0)
        .integer(0);
  });
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace tideline::social_graph
