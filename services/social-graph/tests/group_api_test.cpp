// Commands of tags and groups over HTTP: who may do what, and who may know what.

#include <gmock/gmock.h>

#include "social-graph/domain/counts.hpp"
#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"

namespace tideline::social_graph {
namespace {

using http::Method;
using nlohmann::json;

class GroupApi : public ::testing::Test {
 protected:
  GroupApi() {
    for (const char* user_id : {"ada", "bob", "eve", "dan"}) know(user_id, false);
    know("gone", true);
  }
  void know(const std::string& user_id, bool closed) {
    people.put({service.account(user_id), user_id, "Name of " + user_id, std::nullopt, closed});
  }
  Reply invite(const std::string& group, const char* by, const char* whom) {
    return service.post("/v1/groups/" + group + "/invitations", by, {{"user_id", whom}});
  }
  Reply join(const std::string& group, const char* who) {
    return service.post("/v1/groups/" + group + "/members", who);
  }
  Reply leave(const std::string& group, const char* who) {
    return service.remove("/v1/groups/" + group + "/members/me", who);
  }

  PeopleInMemory people;
  GraphService service{people};
};

constexpr const char* kUnknownId = "00000000000000000000000000";

TEST_F(GroupApi, ATagIsMadePutOnAContactAndTakenOff) {
  service.befriend("ada", "bob");
  const Reply made = service.post("/v1/tags", "ada", {{"name", "family"}});
  EXPECT_EQ(made.status, 201);
  const std::string id = made.body.at("id");
  EXPECT_EQ(made.header("Location"), "/v1/tags/" + id);
  EXPECT_EQ(made.body, json({{"id", id},
                             {"name", "family"},
                             {"contact_count", 0},
                             {"created_at", "2026-01-02T03:04:05.678901Z"}}));
  EXPECT_EQ(service.put("/v1/tags/" + id + "/contacts/bob", "ada").status, 200);
  EXPECT_EQ(service.put("/v1/tags/" + id + "/contacts/bob", "ada").status, 200);
  EXPECT_EQ(service.remove("/v1/tags/" + id + "/contacts/bob", "ada").status, 204);
  EXPECT_EQ(service.remove("/v1/tags/" + id, "ada").status, 204);
  EXPECT_EQ(service.remove("/v1/tags/" + id, "ada").status, 204);
  EXPECT_EQ(service.put("/v1/tags/" + id + "/contacts/bob", "ada").problem(), "no-such-tag");
}

TEST_F(GroupApi, APersonHasOnlySoManyTagsAndGroups) {
  std::string tag, group;
  for (std::int64_t i = 0; i < kTagsMax; ++i) tag = service.create_tag("ada", "tag");
  for (std::int64_t i = 0; i < kGroupsMax; ++i) {
    group = service.create_group("ada", "group " + std::to_string(i), false);
  }
  const json new_tag{{"name", "one more"}}, new_group{{"name", "one more"}, {"private", false}};
  EXPECT_EQ(service.post("/v1/tags", "ada", new_tag).problem(), "tag-limit-reached");
  EXPECT_EQ(service.post("/v1/groups", "ada", new_group).problem(), "group-limit-reached");
  EXPECT_EQ(service.post("/v1/tags", "bob", new_tag).status, 201);
  EXPECT_EQ(service.post("/v1/groups", "bob", new_group).status, 201);
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(service.remove("/v1/tags/" + tag, "ada").status, 204);
    EXPECT_EQ(service.remove("/v1/groups/" + group, "ada").status, 204);
  }
  EXPECT_EQ(service.post("/v1/tags", "ada", new_tag).status, 201);
  EXPECT_EQ(service.post("/v1/groups", "ada", new_group).status, 201);
  EXPECT_EQ(service.post("/v1/tags", "ada", new_tag).status, 409);
  EXPECT_EQ(service.post("/v1/groups", "ada", new_group).status, 409);
}

TEST_F(GroupApi, OnlyContactsAreTaggedAndTheTagOutlivesThem) {
  const std::string id = service.create_tag("ada", "family");
  const std::string on_bob = "/v1/tags/" + id + "/contacts/bob";
  EXPECT_EQ(service.put(on_bob, "ada").status, 409);
  EXPECT_EQ(service.put(on_bob, "ada").problem(), "not-a-contact");
  EXPECT_EQ(service.put("/v1/tags/" + id + "/contacts/nobody", "ada").problem(), "no-such-person");
  service.befriend("ada", "bob");
  EXPECT_EQ(service.put(on_bob, "ada").status, 200);
  service.remove("/v1/contacts/ada", "bob");
  EXPECT_EQ(service.put(on_bob, "ada").status, 200) << "it is still there";
  EXPECT_EQ(service.remove(on_bob, "ada").status, 204);
  EXPECT_EQ(service.put(on_bob, "ada").problem(), "not-a-contact");
}

TEST_F(GroupApi, ATagIsItsOwnersAlone) {
  service.befriend("ada", "bob");
  service.befriend("eve", "bob");
  const std::string id = service.create_tag("ada", "family");
  EXPECT_EQ(service.put("/v1/tags/" + id + "/contacts/bob", "eve").problem(), "no-such-tag");
  EXPECT_EQ(service.remove("/v1/tags/" + id, "bob").problem(), "no-such-tag");
  for (const char* unknown :
       {kUnknownId, "short", "AAAAAAAAAAAAAAAAAAAAAAAAAA", "zzzzzzzzzzzzzzzzzzzzzzzzzz"}) {
    EXPECT_EQ(service.remove(std::string("/v1/tags/") + unknown, "ada").status, 404) << unknown;
  }
}

TEST_F(GroupApi, NamesAreCountedInCodePoints) {
  std::string name;
  for (int i = 0; i < 64; ++i) name += "ä";
  EXPECT_EQ(service.post("/v1/tags", "ada", {{"name", name}}).status, 201);
  EXPECT_EQ(service.post("/v1/tags", "ada", {{"name", name + "x"}}).status, 422);
  EXPECT_EQ(service.post("/v1/tags", "ada", {{"name", ""}}).status, 422);
  EXPECT_EQ(service.post("/v1/groups", "ada", {{"name", "chess"}}).status, 422);
}

TEST_F(GroupApi, AGroupIsMadeWithItsCreatorInIt) {
  const Reply made = service.post("/v1/groups", "ada", {{"name", "chess"}, {"private", true}});
  EXPECT_EQ(made.status, 201);
  const std::string id = made.body.at("id");
  EXPECT_EQ(made.header("Location"), "/v1/groups/" + id);
  EXPECT_EQ(
      made.body,
      json({{"id", id},
            {"name", "chess"},
            {"private", true},
            {"history", "from_joining"},
            {"creator", {{"user_id", "ada"}, {"real_name", "Name of ada"}, {"avatar", nullptr}}},
            {"member_count", 1},
            {"membership", "member"},
            {"created_at", "2026-01-02T03:04:05.678901Z"}}));
  EXPECT_EQ(leave(id, "ada").status, 409);
  EXPECT_EQ(leave(id, "ada").problem(), "creator-cannot-leave");
}

TEST_F(GroupApi, APublicGroupIsEnteredAndLeft) {
  const std::string id = service.create_group("ada", "chess", false);
  EXPECT_EQ(join(id, "bob").status, 201);
  EXPECT_EQ(join(id, "bob").status, 201);
  EXPECT_EQ(leave(id, "bob").status, 204);
  EXPECT_EQ(leave(id, "bob").status, 204);
  EXPECT_EQ(leave(id, "eve").problem(), "not-a-member");
}

TEST_F(GroupApi, APrivateGroupIsEnteredByInvitationOfAMember) {
  const std::string id = service.create_group("ada", "chess", true);
  EXPECT_EQ(join(id, "bob").status, 404);
  EXPECT_EQ(invite(id, "eve", "bob").status, 404) << "eve does not learn that it exists";
  EXPECT_EQ(invite(id, "ada", "bob").status, 201);
  EXPECT_EQ(invite(id, "bob", "eve").status, 404) << "invited is not yet a member";
  EXPECT_EQ(join(id, "bob").status, 201);
  EXPECT_EQ(invite(id, "bob", "eve").status, 201);
  EXPECT_EQ(invite(id, "ada", "gone").problem(), "account-closed");
  EXPECT_EQ(invite(id, "ada", "nobody").problem(), "no-such-person");
  EXPECT_EQ(invite(id, "ada", "ada").problem(), "oneself");
}

TEST_F(GroupApi, StrangersDoNotInviteIntoPublicGroups) {
  const std::string id = service.create_group("ada", "chess", false);
  EXPECT_EQ(invite(id, "eve", "bob").status, 403);
  EXPECT_EQ(invite(id, "eve", "bob").problem(), "members-only");
}

TEST_F(GroupApi, AGroupTakesNoMoreThanItsLimit) {
  const std::string id = service.create_group("ada", "chess", false);
  join(id, "bob");
  join(id, "eve");
  EXPECT_EQ(join(id, "dan").status, 409);
  EXPECT_EQ(join(id, "dan").problem(), "group-full");
  leave(id, "eve");
  EXPECT_EQ(join(id, "dan").status, 201);
}

TEST_F(GroupApi, OnlyTheCreatorDissolves) {
  const std::string open = service.create_group("ada", "chess", false);
  const std::string closed = service.create_group("ada", "poker", true);
  EXPECT_EQ(service.remove("/v1/groups/" + open, "bob").status, 403);
  EXPECT_EQ(service.remove("/v1/groups/" + open, "bob").problem(), "only-the-creator");
  EXPECT_EQ(service.remove("/v1/groups/" + closed, "bob").status, 404);
  EXPECT_EQ(service.remove("/v1/groups/" + open, "ada").status, 204);
  EXPECT_EQ(service.remove("/v1/groups/" + open, "ada").status, 204);
  EXPECT_EQ(join(open, "bob").problem(), "no-such-group");
  EXPECT_EQ(service.remove(std::string("/v1/groups/") + kUnknownId, "ada").status, 404);
}

TEST_F(GroupApi, AnInvitationIsDeclined) {
  const std::string id = service.create_group("ada", "chess", true);
  const std::string mine = "/v1/groups/" + id + "/invitations/me";
  EXPECT_EQ(service.remove(mine, "bob").problem(), "no-such-group");
  invite(id, "ada", "bob");
  EXPECT_EQ(service.remove(mine, "bob").status, 204);
  EXPECT_EQ(service.remove(mine, "bob").status, 204);
  EXPECT_EQ(join(id, "bob").status, 404);
  EXPECT_EQ(invite(id, "ada", "bob").problem(), "invitation-declined");
  service.clock.advance(std::chrono::days(30));
  EXPECT_EQ(invite(id, "ada", "bob").status, 201);
}

TEST_F(GroupApi, CreatorAndAdminsRemoveMembers) {
  const std::string id = service.create_group("ada", "chess", false);
  const auto member = [&](const char* who) { return "/v1/groups/" + id + "/members/" + who; };
  const auto admin = [&](const char* who) { return "/v1/groups/" + id + "/admins/" + who; };
  join(id, "bob");
  join(id, "eve");
  EXPECT_EQ(service.remove(member("eve"), "bob").problem(), "only-creator-and-admins");
  EXPECT_EQ(service.put(admin("bob"), "bob").problem(), "oneself");
  EXPECT_EQ(service.put(admin("bob"), "eve").problem(), "only-the-creator");
  EXPECT_EQ(service.put(admin("bob"), "ada").status, 204);
  EXPECT_EQ(service.remove(member("eve"), "bob").status, 204);
  EXPECT_EQ(service.remove(member("eve"), "bob").status, 204);
  EXPECT_EQ(service.remove(member("dan"), "bob").problem(), "no-such-member");
  EXPECT_EQ(service.remove(member("ada"), "bob").problem(), "creator-cannot-be-removed");
  EXPECT_EQ(service.remove(member("bob"), "dan").problem(), "members-only");
  EXPECT_EQ(join(id, "eve").problem(), "removed-from-group");
  EXPECT_EQ(invite(id, "bob", "eve").status, 201);
  EXPECT_EQ(join(id, "eve").status, 201) << "a removed member does not count";
  leave(id, "eve");
  EXPECT_EQ(service.remove(member("eve"), "bob").status, 204) << "nor is he counted twice";
  EXPECT_EQ(join(id, "eve").problem(), "removed-from-group");
  invite(id, "bob", "eve");
  EXPECT_EQ(join(id, "eve").status, 201);
  EXPECT_EQ(join(id, "dan").problem(), "group-full");
  EXPECT_EQ(service.remove(admin("bob"), "ada").status, 204);
  EXPECT_EQ(service.remove(member("eve"), "bob").problem(), "only-creator-and-admins");
}

TEST_F(GroupApi, AnIdempotencyKeyMakesOneGroup) {
  const std::vector<std::pair<std::string, std::string>> key{{"Idempotency-Key", "once"}};
  const json chess{{"name", "chess"}, {"private", false}};
  const Reply first = service.call(Method::Post, "/v1/groups", "ada", chess, key);
  const auto events = service.events().size();
  const Reply again = service.call(Method::Post, "/v1/groups", "ada", chess, key);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("Location"), first.header("Location"));
  EXPECT_EQ(service.events().size(), events);
}

TEST_F(GroupApi, WhoseKeyIsDestroyedNamesNothing) {
  ASSERT_TRUE(service.cipher.destroy(service.account("ada")).ok());
  const Reply failed = service.post("/v1/tags", "ada", {{"name", "family"}});
  EXPECT_EQ(failed.status, 409);
  EXPECT_EQ(failed.problem(), "account-closed");
  EXPECT_EQ(service.events().size(), 0U);
}

}  // namespace
}  // namespace tideline::social_graph
