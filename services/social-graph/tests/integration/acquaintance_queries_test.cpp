// What stands between two people, whom both know, and whom one may know; what an export of a person
// holds, and what nobody learns by any of it.

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "social-graph/projections/acquaintance_queries.hpp"
#include "social-graph/projections/tag_queries.hpp"
#include "social-graph/tests/integration/graph_database.hpp"

namespace tideline::social_graph {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Acquaintances : public GraphDatabase {
 protected:
  void SetUp() override {
    for (const char* user_id : {"ada", "bob", "eve", "dan", "joe"}) know(user_id);
  }
  json relation(const std::string& me, const std::string& other) {
    return service.get("/v1/contacts/" + other + "/relation", me).body;
  }
  std::vector<std::string> mutual(const std::string& me, const std::string& other) {
    return users_of(service.get("/v1/contacts/" + other + "/mutual", me));
  }
  std::vector<std::string> suggested(const std::string& me) {
    return users_of(service.get("/v1/contact-suggestions", me));
  }
  // Section -> its items, by pages of two.
  json export_of(const std::string& user_id) {
    json sections = json::object();
    std::string after;
    for (int pages = 0; pages < 50; ++pages) {
      const Reply page = service.get("/v1/social-graph-export?limit=2" + after, user_id);
      EXPECT_EQ(page.status, 200);
      for (const auto& item : page.body.at("items")) {
        sections[item.at("section").get<std::string>()].push_back(item.at("data"));
      }
      if (page.body.at("after").is_null()) return sections;
      after = "&after=" + page.body.at("after").get<std::string>();
    }
    ADD_FAILURE() << "the export does not end";
    return sections;
  }
};

TEST_F(Acquaintances, ARemarkIsShownToItsOwnerAlone) {
  service.befriend("ada", "bob");
  service.put("/v1/contacts/bob/remark", "ada", {{"remark", "Bobby"}});
  project();
  EXPECT_EQ(service.get("/v1/contacts", "ada").body.at("items").at(0).at("remark"), "Bobby");
  EXPECT_EQ(relation("ada", "bob").at("remark"), "Bobby");
  EXPECT_EQ(service.get("/v1/contacts", "bob").body.dump().find("Bobby"), std::string::npos);
  EXPECT_EQ(relation("bob", "ada").at("remark"), nullptr);
  const auto sealed = read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT remark FROM contact_remark")[0].text(0);
  });
  EXPECT_TRUE(sealed.starts_with("1.")) << sealed;

  service.remove("/v1/contacts/bob/remark", "ada");
  project();
  EXPECT_EQ(relation("ada", "bob").at("remark"), nullptr);
  service.put("/v1/contacts/bob/remark", "ada", {{"remark", "Bobby"}});
  project();
  ASSERT_TRUE(service.cipher.destroy(service.account("ada")).ok());
  EXPECT_EQ(service.get("/v1/contacts", "ada").body.at("items").at(0).at("remark"), nullptr);
}

TEST_F(Acquaintances, ARelationIsSeenFromBothSides) {
  service.put("/v1/follows/bob", "ada");
  service.post("/v1/contact-requests", "ada", {{"user_id", "bob"}});
  project();
  json of_bob = relation("ada", "bob");
  EXPECT_EQ(of_bob.at("contact"), "outgoing");
  EXPECT_EQ(of_bob.at("follows"), true);
  EXPECT_EQ(of_bob.at("followed_by"), false);
  json of_ada = relation("bob", "ada");
  EXPECT_EQ(of_ada.at("contact"), "incoming");
  EXPECT_EQ(of_ada.at("followed_by"), true);
  EXPECT_EQ(relation("eve", "ada").at("contact"), "none");
  EXPECT_EQ(service.get("/v1/contacts/nobody/relation", "ada").problem(), "no-such-person");
}

TEST_F(Acquaintances, ABlockIsSeenByWhoeverBlocksAlone) {
  service.befriend("ada", "eve");
  service.befriend("bob", "eve");
  service.befriend("ada", "bob");
  service.put("/v1/blocks/bob", "ada");
  project();
  const json of_bob = relation("ada", "bob");
  EXPECT_EQ(of_bob.at("blocked"), true);
  EXPECT_EQ(of_bob.at("contact"), "none");
  EXPECT_EQ(of_bob.at("mutual_contact_count"), 0);
  EXPECT_THAT(mutual("ada", "bob"), IsEmpty());
  for (const char* route : {"relation", "mutual"}) {
    const Reply asked = service.get("/v1/contacts/ada/" + std::string(route), "bob");
    const Reply of_nobody = service.get("/v1/contacts/nobody/" + std::string(route), "bob");
    EXPECT_EQ(asked.status, 404);
    EXPECT_EQ(asked.body.at("detail"), of_nobody.body.at("detail")) << "as if she were nobody";
  }
  EXPECT_EQ(service.remove("/v1/contact-suggestions/ada", "bob").status, 404);
  EXPECT_THAT(suggested("bob"), IsEmpty());
  EXPECT_THAT(suggested("ada"), IsEmpty());
}

TEST_F(Acquaintances, CountsOfFollowsAreSeenByWhoMaySeeThem) {
  for (const char* user_id : {"bob", "eve", "dan"}) service.put("/v1/follows/ada", user_id);
  service.put("/v1/follows/bob", "ada");
  service.remove("/v1/follows/ada", "dan");
  service.befriend("ada", "bob");
  const auto seen = [&](const char* by) { return relation(by, "ada").at("follower_count"); };
  project();
  EXPECT_EQ(service.get("/v1/follows/me", "ada").body,
            json({{"follower_count", 2}, {"following_count", 1}, {"counts_shown_to", "nobody"}}));
  EXPECT_EQ(seen("bob"), nullptr);
  service.put("/v1/follows/me", "ada", {{"counts_shown_to", "contacts"}});
  project();
  EXPECT_EQ(seen("bob"), 2);
  EXPECT_EQ(seen("eve"), nullptr);
  service.put("/v1/follows/me", "ada", {{"counts_shown_to", "everybody"}});
  project();
  EXPECT_EQ(seen("eve"), 2);
  EXPECT_EQ(relation("eve", "ada").at("following_count"), 1);
}

TEST_F(Acquaintances, PeopleAreSuggestedByContactsInCommonUntilDismissed) {
  service.befriend("ada", "bob");
  service.befriend("ada", "eve");
  service.befriend("bob", "dan");
  service.befriend("eve", "dan");
  service.befriend("bob", "joe");
  project();
  const Reply list = service.get("/v1/contact-suggestions", "ada");
  EXPECT_THAT(users_of(list), ElementsAre("dan", "joe"));
  EXPECT_EQ(list.body.at("items").at(0).at("mutual_contact_count"), 2);
  EXPECT_THAT(mutual("ada", "dan"), ::testing::UnorderedElementsAre("bob", "eve"));
  EXPECT_EQ(relation("ada", "dan").at("mutual_contact_count"), 2);
  service.remove("/v1/contact-suggestions/dan", "ada");
  project();
  EXPECT_THAT(suggested("ada"), ElementsAre("joe"));
  write("UPDATE person SET closed = true WHERE account_id = $1::uuid", {service.account("joe")});
  EXPECT_THAT(suggested("ada"), IsEmpty());
}

TEST_F(Acquaintances, AnExportHoldsWhatThePersonHasSetAndNothingThatOthersHave) {
  service.befriend("ada", "bob");
  service.put("/v1/contacts/bob/remark", "ada", {{"remark", "Bobby"}});
  const std::string tag = service.create_tag("ada", "bores");
  service.put("/v1/tags/" + tag + "/contacts/bob", "ada");
  service.put("/v1/moment-settings/bob", "ada",
              {{"hides_other", true}, {"hidden_from_other", true}});
  service.put("/v1/blocks/eve", "ada");
  service.put("/v1/follows/bob", "ada");
  service.remove("/v1/contact-suggestions/dan", "ada");
  service.create_group("ada", "chess", true);
  project();
  for (const char* more : {"eve", "dan"}) {
    service.put("/v1/follows/" + std::string(more), "bob");
    service.befriend("bob", more);
    service.put("/v1/tags/" + service.create_tag("bob", more) + "/contacts/" + more, "bob");
  }
  project();
  const json of_ada = export_of("ada");
  EXPECT_EQ(of_ada.at("contacts").at(0).at("remark"), "Bobby");
  EXPECT_EQ(of_ada.at("tags").at(0).at("name"), "bores");
  EXPECT_EQ(of_ada.at("tagged_contacts").at(0).at("user_id"), "bob");
  EXPECT_EQ(of_ada.at("tagged_contacts").at(0).at("tag_id"), tag);
  EXPECT_EQ(of_ada.at("hidden_from").at(0).at("user_id"), "bob");
  EXPECT_EQ(of_ada.at("blocks").at(0).at("user_id"), "eve");
  EXPECT_EQ(of_ada.at("following").at(0).at("user_id"), "bob");
  EXPECT_EQ(of_ada.at("follow_settings").at(0).at("counts_shown_to"), "nobody");
  EXPECT_EQ(of_ada.at("dismissed_suggestions").at(0).at("user_id"), "dan");
  EXPECT_EQ(of_ada.at("groups").at(0).at("name"), "chess");

  const json of_bob = export_of("bob");
  EXPECT_EQ(of_bob.at("contacts").size(), 3U);
  EXPECT_EQ(of_bob.at("following").size(), 2U);
  EXPECT_EQ(of_bob.at("tagged_contacts").size(), 2U);
  for (const char* list : {"hidden", "hidden_from", "blocks", "groups", "dismissed_suggestions"}) {
    EXPECT_FALSE(of_bob.contains(list)) << list;
  }
  for (const char* secret : {"Bobby", "bores"}) {
    EXPECT_EQ(of_bob.dump().find(secret), std::string::npos) << secret;
  }
  EXPECT_FALSE(export_of("eve").contains("blocks"));
}

// Who has tagged somebody is known to the query that operators ask, and to no route.
TEST_F(Acquaintances, WhoeverIsTaggedDoesNotLearnOfItByAnyRoute) {
  service.befriend("ada", "bob");
  project();
  const auto of_bob = [&] {
    std::map<std::string, json> answers;
    for (const auto& route : service.router.routes()) {
      if (route.method != http::Method::Get) continue;
      std::string path = route.path_template;
      for (const auto& [part, value] : std::map<std::string, std::string>{
               {"{user_id}", "ada"}, {"{group_id}", std::string(26, '0')}}) {
        if (const auto at = path.find(part); at != std::string::npos) {
          path.replace(at, part.size(), value);
        }
      }
      if (path.find('{') == std::string::npos) answers[path] = service.get(path, "bob").body;
    }
    return answers;
  };
  const auto before = of_bob();
  ASSERT_GT(before.size(), 12U);
  const std::string tag = service.create_tag("ada", "bores");
  service.put("/v1/tags/" + tag + "/contacts/bob", "ada");
  project();
  EXPECT_EQ(of_bob(), before);
  EXPECT_EQ(service.get("/v1/tags/" + tag, "bob").status, 404);
  const auto tagging = read([&](sql::Transaction& transaction) {
    return list_tagging(transaction, service.account("bob"), {});
  });
  ASSERT_EQ(tagging.items.size(), 1U);
  EXPECT_EQ(tagging.items[0].owner, service.account("ada"));
  EXPECT_EQ(tagging.items[0].tag_id, tag);
}

// An oracle that knows nothing of tables: matrices of booleans, moved by the answers of commands.
class Oracle {
 public:
  static constexpr int kPeople = 9;

  void befriend(int a, int b) { known[a][b] = known[b][a] = contact[a][b] = contact[b][a] = true; }
  void part(int a, int b) { contact[a][b] = contact[b][a] = false; }
  std::set<int> mutual(int me, int other) const {
    std::set<int> both;
    for (int i = 0; i < kPeople; ++i) {
      if (contact[i][me] && contact[i][other] && !apart(me, other)) both.insert(i);
    }
    return both;
  }
  std::map<int, int> suggestions(int me) const {
    std::map<int, int> counts;
    for (int near = 0; near < kPeople; ++near) {
      for (int far = 0; far < kPeople && contact[me][near]; ++far) {
        if (!contact[near][far] || far == me || known[me][far] || dismissed[me][far]) continue;
        if (apart(me, far) || excludes[me][far] || excludes[far][me]) continue;
        ++counts[far];
      }
    }
    return counts;
  }
  bool apart(int a, int b) const { return blocks[a][b] || blocks[b][a]; }

  bool contact[kPeople][kPeople] = {};
  bool known[kPeople][kPeople] = {};  // there once was something between them
  bool blocks[kPeople][kPeople] = {};
  bool excludes[kPeople][kPeople] = {};
  bool dismissed[kPeople][kPeople] = {};
};

TEST_F(Acquaintances, AgreeWithAnOracleOfMatrices) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return static_cast<int>(random() % limit); };
  Oracle oracle;
  const auto name = [](int person) { return "person" + std::to_string(person); };
  for (int i = 0; i < Oracle::kPeople; ++i) know(name(i));
  std::size_t seen = 0;
  for (int step = 0; step < 160; ++step) {
    service.clock.advance(std::chrono::microseconds(1));
    const int a = below(Oracle::kPeople), b = below(Oracle::kPeople);
    if (a == b) continue;
    const int kind = below(12);
    if (kind < 7 && !oracle.apart(a, b) && !oracle.contact[a][b]) {
      service.befriend(name(a), name(b));
      oracle.befriend(a, b);
    } else if (kind == 7) {
      service.remove("/v1/contacts/" + name(b), name(a));
      oracle.part(a, b);
    } else if (kind == 8 && !oracle.blocks[b][a]) {
      service.put("/v1/blocks/" + name(b), name(a));
      oracle.blocks[a][b] = true;
      oracle.part(a, b);
    } else if (kind == 9) {
      service.remove("/v1/blocks/" + name(b), name(a));
      oracle.blocks[a][b] = false;
    } else if (kind == 10 && !oracle.blocks[b][a]) {
      service.remove("/v1/contact-suggestions/" + name(b), name(a));
      oracle.dismissed[a][b] = true;
    } else if (kind == 11 && !oracle.blocks[b][a]) {
      const bool excludes = below(2) == 0;
      service.put("/v1/moment-settings/" + name(b), name(a),
                  {{"hides_other", false}, {"hidden_from_other", excludes}});
      oracle.excludes[a][b] = excludes;
    }
    if (step % 20 != 19) continue;
    project();
    for (int me = 0; me < Oracle::kPeople; ++me) {
      std::map<int, int> suggestions;
      const Reply listed = service.get("/v1/contact-suggestions", name(me));
      for (const auto& item : listed.body.at("items")) {
        const std::string user_id = item.at("user_id");
        suggestions[user_id.back() - '0'] = item.at("mutual_contact_count");
      }
      EXPECT_EQ(suggestions, oracle.suggestions(me)) << name(me);
      for (int other = 0; other < Oracle::kPeople; ++other) {
        if (other == me || oracle.blocks[other][me]) continue;
        std::set<int> both;
        for (const auto& user_id : mutual(name(me), name(other))) both.insert(user_id.back() - '0');
        EXPECT_EQ(both, oracle.mutual(me, other)) << name(me) << " " << name(other);
        EXPECT_EQ(relation(name(me), name(other)).at("mutual_contact_count"), std::ssize(both));
        seen += both.size() + suggestions.size();
      }
    }
  }
  EXPECT_GT(seen, 20U) << "a history without acquaintances shows nothing";
}

}  // namespace
}  // namespace tideline::social_graph
