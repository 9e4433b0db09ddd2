#include "social-graph/domain/group.hpp"

#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/domain/group_name.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::expect_compaction_keeps_decisions;
using eventsourcing::testing::given;

constexpr core::AccountId kChess = account_with(100);  // keyed hashes of a creator and a name
constexpr core::AccountId kPoker = account_with(101);
constexpr core::AccountId kBobsChess = account_with(102);
const GroupCreated kPublicGroup{kGroupId, kAda, "chess", false, GroupHistory::FromJoining, kChess};
const GroupCreated kPrivateGroup{kGroupId, kAda, "chess", true, GroupHistory::FromJoining, kChess};
const GroupDissolved kDissolved{kGroupId};
constexpr GroupActor kCreator{kAda, true, false, true, false};
constexpr GroupActor kAdmin{kEve, false, true, true, false};
constexpr GroupActor kMember{kEve, false, false, true, false};
constexpr GroupActor kStranger{kEve};
constexpr GroupActor kStrangerToPrivate{kEve, false, false, false, true};

TEST(Group, IsCreatedAndDissolvedByItsCreator) {
  given<Group>().when(CreateGroup{kGroupId, kAda, "chess", true, {}, kChess}).then(kPrivateGroup);
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

const GroupRenamed kRenamed{kGroupId, kAda, "poker", kPoker};
const GroupHandedOver kHandedOver{kGroupId, kAda, kBob, "chess", kBobsChess};
const GroupHistoryChanged kFromStart{kGroupId, GroupHistory::FromStart};

TEST(Group, IsRenamedByItsCreatorAlone) {
  const RenameGroup renames{kGroupId, kCreator, "poker", kPoker};
  given<Group>(kPublicGroup).when(renames).then(kRenamed);
  given<Group>(kPublicGroup, kRenamed).when(renames).then_nothing();
  for (const GroupActor& by : {kAdmin, kMember}) {
    given<Group>(kPublicGroup)
        .when(RenameGroup{kGroupId, by, "poker", kPoker})
        .then_rejected("only-the-creator");
  }
  given<Group>(kPublicGroup)
      .when(RenameGroup{kGroupId, kStranger, "poker", kPoker})
      .then_rejected("members-only");
  given<Group>(kPrivateGroup)
      .when(RenameGroup{kGroupId, kStrangerToPrivate, "poker", kPoker})
      .then_rejected("no-such-group");
  given<Group>(kPublicGroup, kDissolved).when(renames).then_rejected("no-such-group");
}

TEST(Group, TheSameNameInOtherLettersIsARenaming) {
  const RenameGroup renames{kGroupId, kCreator, "Chess", kChess};
  given<Group>(kPublicGroup).when(renames).then(GroupRenamed{kGroupId, kAda, "Chess", kChess});
}

TEST(Group, OneThatWasMadeBeforeNamesWereClaimedTakesItsOwnName) {
  const GroupCreated old{kGroupId, kAda, "chess", false};
  given<Group>(old)
      .when(RenameGroup{kGroupId, kCreator, "chess", kChess})
      .then(GroupRenamed{kGroupId, kAda, "chess", kChess});
}

TEST(Group, CreatorAndAdminsSayWhatWhoJoinsLaterMayRead) {
  const auto from_start = [](const GroupActor& by) {
    return ChangeGroupHistory{kGroupId, by, GroupHistory::FromStart};
  };
  given<Group>(kPublicGroup).when(from_start(kCreator)).then(kFromStart);
  given<Group>(kPublicGroup).when(from_start(kAdmin)).then(kFromStart);
  given<Group>(kPublicGroup, kFromStart).when(from_start(kAdmin)).then_nothing();
  given<Group>(kPublicGroup).when(from_start(kMember)).then_rejected("only-creator-and-admins");
  given<Group>(kPublicGroup).when(from_start(kStranger)).then_rejected("members-only");
  given<Group>(kPrivateGroup).when(from_start(kStrangerToPrivate)).then_rejected("no-such-group");
  given<Group>(kPublicGroup, kDissolved).when(from_start(kCreator)).then_rejected("no-such-group");
}

TEST(Group, IsHandedOverToAMember) {
  const HandOverGroup hands_over{kGroupId, kCreator, kBob, true, kBobsChess};
  given<Group>(kPublicGroup).when(hands_over).then(kHandedOver);
  given<Group>(kPublicGroup)
      .when(HandOverGroup{kGroupId, kCreator, kBob, false, kBobsChess})
      .then_rejected("no-such-member");
  given<Group>(kPublicGroup)
      .when(HandOverGroup{kGroupId, kAdmin, kBob, true, kBobsChess})
      .then_rejected("only-the-creator");
  given<Group>(kPrivateGroup)
      .when(HandOverGroup{kGroupId, kStrangerToPrivate, kBob, true, kBobsChess})
      .then_rejected("no-such-group");
  given<Group>(kPublicGroup, kDissolved).when(hands_over).then_rejected("no-such-group");
}

TEST(Group, BelongsToItsNewCreatorAlone) {
  const GroupActor ada_now{kAda, false, false, true, false};
  given<Group>(kPublicGroup, kHandedOver)
      .when(HandOverGroup{kGroupId, ada_now, kBob, true, kBobsChess})
      .then_nothing();
  given<Group>(kPublicGroup, kHandedOver)
      .when(HandOverGroup{kGroupId, ada_now, kEve, true, kPoker})
      .then_rejected("only-the-creator");
  given<Group>(kPublicGroup, kHandedOver)
      .when(DissolveGroup{kGroupId, kAda, true})
      .then_rejected("only-the-creator");
  given<Group>(kPublicGroup, kHandedOver)
      .when(DissolveGroup{kGroupId, kBob, true})
      .then(kDissolved);
}

TEST(Group, CompactionKeepsDecisions) {
  const GroupActor bob{kBob, true, false, true, false};
  expect_compaction_keeps_decisions<Group>(
      {RenameGroup{kGroupId, kCreator, "poker", kPoker},
       RenameGroup{kGroupId, kCreator, "chess", kChess},
       ChangeGroupHistory{kGroupId, kAdmin, GroupHistory::FromStart},
       ChangeGroupHistory{kGroupId, kAdmin, GroupHistory::FromJoining},
       HandOverGroup{kGroupId, kCreator, kBob, true, kBobsChess},
       HandOverGroup{kGroupId, bob, kAda, true, kChess}, DissolveGroup{kGroupId, kBob, true}},
      {kPublicGroup});
}

const std::string kOtherGroupId = "20000000000000000000000000";
const eventsourcing::Rejection kTaken{eventsourcing::RejectionKind::Conflict, "taken", ""};
const GroupNameClaimed kClaimed{kChess, kGroupId};
const GroupNameReleased kReleased{kChess, kGroupId};

TEST(GroupName, IsOneGroupsAtATime) {
  const ClaimGroupName claims{kChess, kGroupId, kTaken};
  const ClaimGroupName another_claims{kChess, kOtherGroupId, kTaken};
  given<GroupName>().when(claims).then(kClaimed);
  given<GroupName>(kClaimed).when(claims).then_nothing();
  given<GroupName>(kClaimed).when(another_claims).then_rejected("taken");
  given<GroupName>(kClaimed, kReleased)
      .when(another_claims)
      .then(GroupNameClaimed{kChess, kOtherGroupId});
}

TEST(GroupName, IsReleasedByTheGroupThatHasIt) {
  given<GroupName>(kClaimed).when(ReleaseGroupName{kChess, kGroupId}).then(kReleased);
  given<GroupName>(kClaimed).when(ReleaseGroupName{kChess, kOtherGroupId}).then_nothing();
  given<GroupName>().when(ReleaseGroupName{kChess, kGroupId}).then_nothing();
}

TEST(GroupName, CompactionKeepsDecisions) {
  expect_compaction_keeps_decisions<GroupName>(
      {ClaimGroupName{kChess, kGroupId, kTaken}, ClaimGroupName{kChess, kOtherGroupId, kTaken},
       ReleaseGroupName{kChess, kGroupId}, ReleaseGroupName{kChess, kOtherGroupId}});
}

const GroupInvited kInvited{kGroupId, kBob, kAda};
const GroupJoined kJoined{kGroupId, kBob};
const GroupLeft kLeft{kGroupId, kBob};

JoinGroup bob_joins(bool is_private) { return {kGroupId, kBob, false, is_private}; }
LeaveGroup bob_leaves(bool is_private) { return {kGroupId, kBob, false, is_private}; }
InviteMember ada_invites_bob(bool is_member, bool is_private) {
  return {kGroupId, kBob, {kAda, false, false, is_member, is_private}};
}

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
