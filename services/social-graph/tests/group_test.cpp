#include "social-graph/domain/group.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

const GroupCreated kPublicGroup{kGroupId, kAda, "chess", false};
const GroupCreated kPrivateGroup{kGroupId, kAda, "chess", true};
const GroupDissolved kDissolved{kGroupId};

TEST(Group, IsCreatedAndDissolvedByItsCreator) {
  given<Group>().when(CreateGroup{kGroupId, kAda, "chess", true}).then(kPrivateGroup);
  given<Group>(kPublicGroup).when(DissolveGroup{kGroupId, kAda, true}).then(kDissolved);
  given<Group>(kPublicGroup, kDissolved).when(DissolveGroup{kGroupId, kAda, true}).then_nothing();
}

TEST(Group, IsDissolvedByNobodyElse) {
  given<Group>(kPublicGroup)
      .when(DissolveGroup{kGroupId, kBob, false})
      .then_rejected("only-the-creator");
  given<Group>(kPrivateGroup)
      .when(DissolveGroup{kGroupId, kBob, true})
      .then_rejected("only-the-creator");
}

TEST(Group, APrivateOneIsUnknownToStrangers) {
  given<Group>(kPrivateGroup)
      .when(DissolveGroup{kGroupId, kBob, false})
      .then_rejected("no-such-group");
  given<Group>().when(DissolveGroup{kGroupId, kBob, false}).then_rejected("no-such-group");
}

TEST(Group, NobodyEntersWhatIsDissolved) {
  Group::State state = Group::evolve({}, kPublicGroup);
  EXPECT_EQ(Group::refuse_use(state), std::nullopt);
  state = Group::evolve(state, kDissolved);
  EXPECT_EQ(Group::refuse_use(state)->code, "no-such-group");
  EXPECT_EQ(Group::refuse_use({})->code, "no-such-group");
}

const GroupInvited kInvited{kGroupId, kBob, kAda};
const GroupJoined kJoined{kGroupId, kBob};
const GroupLeft kLeft{kGroupId, kBob};

JoinGroup bob_joins(bool is_private) { return {kGroupId, kBob, false, is_private}; }
LeaveGroup bob_leaves(bool is_private) { return {kGroupId, kBob, false, is_private}; }
InviteMember ada_invites_bob(bool is_member, bool is_private) {
  return {kGroupId, kBob, {kAda, false, false, is_member, is_private}};
}
constexpr GroupActor kCreator{kAda, true, false, true, false};
constexpr GroupActor kAdmin{kEve, false, true, true, false};
constexpr GroupActor kMember{kEve, false, false, true, false};

TEST(Membership, APublicGroupIsEnteredFreely) {
  given<Membership>().when(bob_joins(false)).then(kJoined);
  given<Membership>(kJoined).when(bob_joins(false)).then_nothing();
}

TEST(Membership, APrivateGroupIsEnteredByInvitation) {
  given<Membership>().when(bob_joins(true)).then_rejected("no-such-group");
  given<Membership>(kInvited).when(bob_joins(true)).then(kJoined);
}

TEST(Membership, TheCreatorEntersHisOwnPrivateGroup) {
  given<Membership>().when(JoinGroup{kGroupId, kAda, true, true}).then(GroupJoined{kGroupId, kAda});
}

TEST(Membership, WhoHasLeftAPrivateGroupNeedsAnotherInvitation) {
  given<Membership>(kInvited, kJoined, kLeft).when(bob_joins(true)).then_rejected("no-such-group");
  given<Membership>(kInvited, kJoined, kLeft).when(ada_invites_bob(true, true)).then(kInvited);
  given<Membership>(kJoined, kLeft).when(bob_joins(false)).then(kJoined);
}

TEST(Membership, MembersInvite) {
  given<Membership>().when(ada_invites_bob(true, true)).then(kInvited);
  given<Membership>(kInvited).when(ada_invites_bob(true, true)).then_nothing();
  given<Membership>(kJoined).when(ada_invites_bob(true, true)).then_nothing();
}

TEST(Membership, StrangersDoNotInvite) {
  given<Membership>().when(ada_invites_bob(false, false)).then_rejected("members-only");
  given<Membership>().when(ada_invites_bob(false, true)).then_rejected("no-such-group");
}

TEST(Membership, AMemberLeaves) {
  given<Membership>(kJoined).when(bob_leaves(false)).then(kLeft);
  given<Membership>(kJoined, kLeft).when(bob_leaves(false)).then_nothing();
}

TEST(Membership, WhoDoesNotBelongCannotLeave) {
  given<Membership>().when(bob_leaves(false)).then_rejected("not-a-member");
  given<Membership>().when(bob_leaves(true)).then_rejected("no-such-group");
  given<Membership>(kInvited).when(bob_leaves(true)).then_rejected("no-such-group");
}

TEST(Membership, TheCreatorCannotLeave) {
  given<Membership>(GroupJoined{kGroupId, kAda})
      .when(LeaveGroup{kGroupId, kAda, true, false})
      .then_rejected("creator-cannot-leave");
}

constexpr core::Timestamp kNoon{std::chrono::hours(20'000 * 24 + 12)};
constexpr std::chrono::hours kDay(24);
const GroupInvitationDeclined kDeclined{kGroupId, kBob, kNoon};
const GroupMemberRemoved kRemoved{kGroupId, kBob, kAda};
const GroupAdminChanged kPromoted{kGroupId, kBob, true};

TEST(Membership, AnInvitationIsDeclinedAndRepeatedOnlyAfterATime) {
  const DeclineInvitation declines{kGroupId, kBob, false, kNoon};
  const auto again = [](core::Timestamp now) {
    return InviteMember{kGroupId, kBob, kCreator, now, kDay};
  };
  given<Membership>(kInvited).when(declines).then(kDeclined);
  given<Membership>(kInvited, kDeclined).when(declines).then_nothing();
  given<Membership>().when(declines).then_rejected("no-such-invitation");
  given<Membership>(kJoined).when(declines).then_rejected("no-such-invitation");
  const DeclineInvitation of_private{kGroupId, kBob, true, kNoon};
  given<Membership>(kInvited).when(of_private).then(kDeclined);
  given<Membership>().when(of_private).then_rejected("no-such-group");
  given<Membership>(kLeft).when(of_private).then_rejected("no-such-group");
  given<Membership>(kInvited, kDeclined)
      .when(again(kNoon + kDay - std::chrono::seconds(1)))
      .then_rejected("invitation-declined");
  given<Membership>(kInvited, kDeclined).when(again(kNoon + kDay)).then(kInvited);
  given<Membership>(kInvited, kDeclined).when(bob_joins(true)).then_rejected("no-such-group");
}

TEST(Membership, CreatorAndAdminsRemoveMembers) {
  given<Membership>(kJoined).when(RemoveMember{kGroupId, kBob, false, kCreator}).then(kRemoved);
  given<Membership>(kJoined)
      .when(RemoveMember{kGroupId, kBob, false, kAdmin})
      .then(GroupMemberRemoved{kGroupId, kBob, kEve});
  given<Membership>(kJoined, kRemoved)
      .when(RemoveMember{kGroupId, kBob, false, kCreator})
      .then_nothing();
  given<Membership>()
      .when(RemoveMember{kGroupId, kBob, false, kCreator})
      .then_rejected("no-such-member");
}

TEST(Membership, WhoHasLeftIsKeptOutToo) {
  for (const auto& before :
       {std::vector<Membership::Event>{kJoined, kLeft}, {kInvited}, {kInvited, kDeclined}}) {
    Membership::State state;
    for (const auto& event : before) state = Membership::evolve(state, event);
    const auto removed = Membership::decide(state, RemoveMember{kGroupId, kBob, false, kAdmin});
    ASSERT_FALSE(removed.rejected());
    state = Membership::evolve(state, removed.events().at(0));
    EXPECT_EQ(Membership::decide(state, bob_joins(false)).rejection().code, "removed-from-group");
  }
}

TEST(Membership, NobodyElseRemovesAndNobodyRemovesTheCreator) {
  const RemoveMember by_member{kGroupId, kBob, false, kMember};
  given<Membership>(kJoined).when(by_member).then_rejected("only-creator-and-admins");
  given<Membership>(kJoined)
      .when(RemoveMember{kGroupId, kBob, false, {kEve}})
      .then_rejected("members-only");
  given<Membership>(kJoined)
      .when(RemoveMember{kGroupId, kBob, false, {kEve, false, false, false, true}})
      .then_rejected("no-such-group");
  given<Membership>(GroupJoined{kGroupId, kAda})
      .when(RemoveMember{kGroupId, kAda, true, kAdmin})
      .then_rejected("creator-cannot-be-removed");
}

TEST(Membership, AnAdminIsRemovedByTheCreatorAlone) {
  given<Membership>(kJoined, kPromoted)
      .when(RemoveMember{kGroupId, kBob, false, kAdmin})
      .then_rejected("only-the-creator");
  given<Membership>(kJoined, kPromoted)
      .when(RemoveMember{kGroupId, kBob, false, kCreator})
      .then(kRemoved);
}

TEST(Membership, WhoWasRemovedNeedsAnInvitationOfThoseWhoMayRemove) {
  given<Membership>(kJoined, kRemoved).when(bob_joins(false)).then_rejected("removed-from-group");
  given<Membership>(kJoined, kRemoved).when(bob_joins(true)).then_rejected("no-such-group");
  given<Membership>(kJoined, kRemoved)
      .when(InviteMember{kGroupId, kBob, kMember})
      .then_rejected("member-was-removed");
  given<Membership>(kJoined, kRemoved)
      .when(InviteMember{kGroupId, kBob, kAdmin})
      .then(GroupInvited{kGroupId, kBob, kEve});
  given<Membership>(kJoined, kRemoved, kInvited).when(bob_joins(false)).then(kJoined);
}

TEST(Membership, TheCreatorMakesAdmins) {
  const ChangeAdmin promotes{kGroupId, kBob, false, true, kCreator};
  given<Membership>(kJoined).when(promotes).then(kPromoted);
  given<Membership>(kJoined, kPromoted).when(promotes).then_nothing();
  given<Membership>(kJoined, kPromoted)
      .when(ChangeAdmin{kGroupId, kBob, false, false, kCreator})
      .then(GroupAdminChanged{kGroupId, kBob, false});
  given<Membership>(kInvited).when(promotes).then_rejected("no-such-member");
  given<Membership>(kJoined)
      .when(ChangeAdmin{kGroupId, kBob, false, true, kAdmin})
      .then_rejected("only-the-creator");
  given<Membership>(GroupJoined{kGroupId, kAda})
      .when(ChangeAdmin{kGroupId, kAda, true, true, kCreator})
      .then_nothing();
}

TEST(Membership, WhoLeavesIsNoAdminWhenHeComesBack) {
  given<Membership>(kJoined, kPromoted, kLeft, kJoined)
      .when(RemoveMember{kGroupId, kBob, false, kAdmin})
      .then(GroupMemberRemoved{kGroupId, kBob, kEve});
}

TEST(Membership, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<Membership>(
      {InviteMember{kGroupId, kBob, kCreator, kNoon, kDay}, InviteMember{kGroupId, kBob, kMember},
       DeclineInvitation{kGroupId, kBob, true, kNoon}, RemoveMember{kGroupId, kBob, false, kAdmin},
       RemoveMember{kGroupId, kBob, false, kCreator},
       ChangeAdmin{kGroupId, kBob, false, true, kCreator}, JoinGroup{kGroupId, kBob, false, true},
       JoinGroup{kGroupId, kBob, false, false}, LeaveGroup{kGroupId, kBob, false, true}});
}

}  // namespace
}  // namespace tideline::social_graph
