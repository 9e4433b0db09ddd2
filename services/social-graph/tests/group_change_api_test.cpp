// Groups that change over HTTP: their names, what who joins later may read, and whose they are.

#include <gmock/gmock.h>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"
#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"

namespace tideline::social_graph {
namespace {

using nlohmann::json;

class GroupChangeApi : public ::testing::Test {
 protected:
  GroupChangeApi() {
    for (const char* user_id : {"ada", "bob", "eve", "dan"}) know(user_id, false);
    know("gone", true);
  }
  void know(const std::string& user_id, bool closed) {
    people.put({service.account(user_id), user_id, "Name of " + user_id, std::nullopt, closed});
  }
  Reply create(const char* creator, const char* name) {
    return service.post("/v1/groups", creator, {{"name", name}, {"private", false}});
  }
  Reply rename(const std::string& group, const char* by, const char* name) {
    return service.put("/v1/groups/" + group + "/name", by, {{"name", name}});
  }
  Reply show_history(const std::string& group, const char* by, const char* history) {
    return service.put("/v1/groups/" + group + "/history", by, {{"history", history}});
  }
  Reply hand_over(const std::string& group, const char* by, const char* to) {
    return service.put("/v1/groups/" + group + "/creator", by, {{"user_id", to}});
  }
  Reply join(const std::string& group, const char* who) {
    return service.post("/v1/groups/" + group + "/members", who);
  }
  Reply dissolve(const std::string& group, const char* by) {
    return service.remove("/v1/groups/" + group, by);
  }
  std::int64_t groups_of(const char* creator) {
    eventsourcing::CommandContext context;
    eventsourcing::CommandSession session(service.store, context);
    return session
        .load<GroupCount>(keys::group_count(service.account(creator)),
                          eventsourcing::EventCodec<GroupCount>{})
        .state.count;
  }

  PeopleInMemory people;
  GraphService service{people, 3, 2, 3};
};

TEST_F(GroupChangeApi, TheNamesOfACreatorsGroupsAreUnique) {
  const std::string chess = service.create_group("ada", "chess", false);
  EXPECT_EQ(create("ada", "chess").problem(), "group-name-taken");
  EXPECT_EQ(create("ada", "CHESS").problem(), "group-name-taken");
  EXPECT_EQ(create("ada", "chess ").status, 201);
  EXPECT_EQ(create("bob", "chess").status, 201) << "another creator's names are his own";
  EXPECT_EQ(dissolve(chess, "ada").status, 204);
  EXPECT_EQ(create("ada", "Chess").status, 201);
}

TEST_F(GroupChangeApi, AGroupIsRenamed) {
  const std::string chess = service.create_group("ada", "chess", false);
  const std::string poker = service.create_group("ada", "poker", false);
  join(chess, "bob");
  service.put("/v1/groups/" + chess + "/admins/bob", "ada");
  EXPECT_EQ(rename(chess, "ada", "poker").problem(), "group-name-taken");
  EXPECT_EQ(rename(chess, "bob", "go").problem(), "only-the-creator");
  EXPECT_EQ(rename(chess, "eve", "go").problem(), "members-only");
  EXPECT_EQ(rename(chess, "ada", "").status, 422);
  EXPECT_EQ(rename(chess, "ada", "go").status, 204);
  const auto events = service.events().size();
  EXPECT_EQ(rename(chess, "ada", "go").status, 204);
  EXPECT_EQ(service.events().size(), events);
  EXPECT_EQ(rename(chess, "ada", "Go").status, 204) << "its own name in other letters";
  EXPECT_EQ(rename(poker, "ada", "chess").status, 204) << "what it was called before is free";
  EXPECT_EQ(create("ada", "go").problem(), "group-name-taken");
}

TEST_F(GroupChangeApi, APrivateGroupIsUnknownToWhoeverIsNotInIt) {
  const std::string id = service.create_group("ada", "chess", true);
  EXPECT_EQ(rename(id, "eve", "go").problem(), "no-such-group");
  EXPECT_EQ(show_history(id, "eve", "from_start").problem(), "no-such-group");
  EXPECT_EQ(hand_over(id, "eve", "bob").problem(), "no-such-group");
  service.post("/v1/groups/" + id + "/invitations", "ada", {{"user_id", "eve"}});
  EXPECT_EQ(rename(id, "eve", "go").status, 404) << "invited is not yet a member";
}

TEST_F(GroupChangeApi, CreatorAndAdminsSayWhatWhoJoinsLaterMayRead) {
  const json body{{"name", "chess"}, {"private", false}, {"history", "from_start"}};
  const Reply made = service.post("/v1/groups", "ada", body);
  EXPECT_EQ(made.body.at("history"), "from_start");
  const std::string id = made.body.at("id");
  join(id, "bob");
  EXPECT_EQ(show_history(id, "bob", "from_joining").problem(), "only-creator-and-admins");
  service.put("/v1/groups/" + id + "/admins/bob", "ada");
  EXPECT_EQ(show_history(id, "bob", "from_joining").status, 204);
  EXPECT_EQ(show_history(id, "ada", "never").status, 422);
  EXPECT_EQ(
      service.post("/v1/groups", "ada", {{"name", "go"}, {"private", false}, {"history", "never"}})
          .status,
      422);
}

TEST_F(GroupChangeApi, AGroupIsHandedOverToAMember) {
  const std::string id = service.create_group("ada", "chess", false);
  EXPECT_EQ(hand_over(id, "ada", "bob").problem(), "no-such-member");
  EXPECT_EQ(hand_over(id, "ada", "gone").problem(), "account-closed");
  EXPECT_EQ(hand_over(id, "ada", "ada").problem(), "oneself");
  join(id, "bob");
  service.put("/v1/groups/" + id + "/admins/bob", "ada");
  EXPECT_EQ(hand_over(id, "bob", "ada").problem(), "only-the-creator");
  EXPECT_EQ(hand_over(id, "ada", "bob").status, 204);
  EXPECT_EQ(hand_over(id, "ada", "bob").status, 204) << "a repeated command answers alike";
  EXPECT_EQ(groups_of("ada"), 0);
  EXPECT_EQ(groups_of("bob"), 1);

  EXPECT_EQ(dissolve(id, "ada").problem(), "only-the-creator");
  EXPECT_EQ(service.remove("/v1/groups/" + id + "/members/me", "bob").problem(),
            "creator-cannot-leave");
  EXPECT_EQ(create("ada", "chess").status, 201) << "her name is free";
  EXPECT_EQ(create("bob", "chess").problem(), "group-name-taken");
  EXPECT_EQ(service.remove("/v1/groups/" + id + "/members/ada", "bob").status, 204);
  EXPECT_EQ(dissolve(id, "bob").status, 204);
  EXPECT_EQ(create("bob", "chess").status, 201);
}

TEST_F(GroupChangeApi, WhoGaveAGroupAwayIsAPlainMember) {
  const std::string id = service.create_group("ada", "chess", false);
  join(id, "bob");
  join(id, "eve");
  service.put("/v1/groups/" + id + "/admins/bob", "ada");
  EXPECT_EQ(hand_over(id, "ada", "bob").status, 204);
  EXPECT_EQ(hand_over(id, "bob", "eve").status, 204);
  for (const char* former : {"ada", "bob"}) {
    EXPECT_EQ(service.remove("/v1/groups/" + id + "/members/dan", former).problem(),
              "only-creator-and-admins");
  }
}

// What the other has, and how much of it, is told to nobody.
TEST_F(GroupChangeApi, WhyAMemberCannotTakeAGroupIsNotTold) {
  const std::string chess = service.create_group("ada", "chess", false);
  join(chess, "bob");
  service.create_group("bob", "Chess", true);
  EXPECT_EQ(hand_over(chess, "ada", "bob").problem(), "cannot-take-group");
  join(chess, "eve");
  for (std::int64_t i = 0; i < kGroupsMax; ++i) {
    service.create_group("eve", "group " + std::to_string(i), false);
  }
  EXPECT_EQ(hand_over(chess, "ada", "eve").problem(), "cannot-take-group");
  EXPECT_EQ(groups_of("ada"), 1);
}

TEST_F(GroupChangeApi, TheNewCreatorsKeySealsTheName) {
  const std::string id = service.create_group("ada", "chess", false);
  join(id, "bob");
  EXPECT_EQ(hand_over(id, "ada", "bob").status, 204);
  ASSERT_TRUE(service.cipher.destroy(service.account("ada")).ok());
  eventsourcing::CommandContext context;
  eventsourcing::CommandSession session(service.store, context);
  const auto group =
      session.load<Group>(keys::group(id), eventsourcing::EventCodec<Group>(service.cipher));
  EXPECT_EQ(group.state.name, "chess");
}

TEST_F(GroupChangeApi, GroupsFromBeforeNamesWereClaimedGoOn) {
  const std::string id = "30000000000000000000000000";
  const auto account = service.account("ada");
  eventsourcing::CommandContext context;
  const auto written = eventsourcing::run_command(
      service.store, context, [&](eventsourcing::CommandSession& session) {
        const eventsourcing::EventCodec<Group> codec(service.cipher);
        const auto group = session.load<Group>(keys::group(id), codec);
        session.stage(group, {GroupCreated{id, account, "chess", false}}, codec);
        const auto member = session.load<Membership>(keys::member(id, account),
                                                     eventsourcing::EventCodec<Membership>{});
        session.stage(member, {GroupJoined{id, account}}, eventsourcing::EventCodec<Membership>{});
        return eventsourcing::CommandResult(eventsourcing::Answer{});
      });
  ASSERT_TRUE(written.ok());
  join(id, "bob");
  EXPECT_EQ(create("ada", "chess").status, 201) << "it holds no claim";
  EXPECT_EQ(rename(id, "ada", "chess").problem(), "group-name-taken");
  EXPECT_EQ(rename(id, "ada", "go").status, 204);
  EXPECT_EQ(create("ada", "go").problem(), "group-name-taken") << "from now on it does";
  EXPECT_EQ(hand_over(id, "ada", "bob").status, 204);
  EXPECT_EQ(dissolve(id, "bob").status, 204);
}

TEST_F(GroupChangeApi, PublicGroupsHaveALimitOfTheirOwn) {
  const std::string open = service.create_group("ada", "chess", false);
  const std::string closed = service.create_group("ada", "poker", true);
  for (const char* who : {"bob", "eve"}) {
    service.post("/v1/groups/" + closed + "/invitations", "ada", {{"user_id", who}});
  }
  EXPECT_EQ(join(closed, "bob").status, 201);
  EXPECT_EQ(join(closed, "eve").problem(), "group-full");
  EXPECT_EQ(join(open, "bob").status, 201);
  EXPECT_EQ(join(open, "eve").status, 201);
  EXPECT_EQ(join(open, "dan").problem(), "group-full");
}

}  // namespace
}  // namespace tideline::social_graph
