// What is stored is read again as it was, and personal text is not in it.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/clock.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/events/codec.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/domain/block.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/follow_setting.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/group_name.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/domain/moment_setting.hpp"
#include "social-graph/domain/remark.hpp"
#include "social-graph/domain/suggestion.hpp"
#include "social-graph/domain/tag.hpp"
#include "social-graph/domain/tagging.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

namespace es = eventsourcing;

class Codecs : public ::testing::Test {
 protected:
  static es::RecordedEvent record(const es::NewEvent& event) {
    es::RecordedEvent recorded;
    recorded.type = event.type;
    recorded.schema_version = event.schema_version;
    recorded.data = event.data;
    return recorded;
  }

  template <class D, class C>
  void round_trip(const C& codec, const std::vector<typename D::Event>& events) {
    EXPECT_EQ(events.size(), std::variant_size_v<typename D::Event>) << "an event is missing here";
    for (const auto& event : events) {
      const es::NewEvent stored = codec.encode(event);
      EXPECT_EQ(stored.visibility, es::Visibility::Public);
      const auto read = codec.decode(record(stored));
      ASSERT_TRUE(read.has_value()) << stored.type;
      EXPECT_TRUE(*read == event) << stored.type << " " << stored.data;
    }
    es::RecordedEvent foreign;
    foreign.type = "SomethingElse";
    foreign.data = "{}";
    EXPECT_FALSE(codec.decode(foreign).has_value());
  }

  core::ManualClock clock{core::Timestamp()};
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher{keys, clock};
};

TEST_F(Codecs, RoundTripEveryEvent) {
  round_trip<ContactPair>(eventsourcing::EventCodec<ContactPair>{},
                          {ContactRequested{kAda, kBob}, ContactAccepted{kAda, kBob, true},
                           ContactDeclined{kAda, kBob, core::Timestamp(std::chrono::hours(1))},
                           ContactRequestWithdrawn{kAda, kBob}, ContactRemoved{kBob, kAda}});
  round_trip<ContactCount>(eventsourcing::EventCodec<ContactCount>{},
                           {ContactCountChanged{kAda, 4999}});
  round_trip<TagCount>(eventsourcing::EventCodec<TagCount>{}, {TagCountChanged{kAda, 999}});
  round_trip<GroupCount>(eventsourcing::EventCodec<GroupCount>{}, {GroupCountChanged{kAda, 0}});
  round_trip<Follow>(eventsourcing::EventCodec<Follow>{},
                     {Followed{kAda, kBob, true}, Unfollowed{kAda, kBob}});
  round_trip<Block>(eventsourcing::EventCodec<Block>{},
                    {PersonBlocked{kAda, kBob}, PersonUnblocked{kAda, kBob}});
  round_trip<BlockCount>(eventsourcing::EventCodec<BlockCount>{}, {BlockCountChanged{kAda, 1}});
  round_trip<Tag>(eventsourcing::EventCodec<Tag>(cipher),
                  {TagCreated{kAda, kTagId, "Familie ♥"}, TagDeleted{kAda, kTagId}});
  round_trip<Tagging>(eventsourcing::EventCodec<Tagging>{},
                      {ContactTagged{kAda, kTagId, kBob}, ContactUntagged{kAda, kTagId, kBob}});
  round_trip<MomentSetting>(eventsourcing::EventCodec<MomentSetting>{},
                            {MomentSettingChanged{kAda, kBob, true, false}});
  round_trip<Group>(
      eventsourcing::EventCodec<Group>(cipher),
      {GroupCreated{kGroupId, kAda, "chess", true, GroupHistory::FromStart, kEve},
       GroupRenamed{kGroupId, kAda, "poker", kEve},
       GroupHandedOver{kGroupId, kAda, kBob, "p", kEve},
       GroupHistoryChanged{kGroupId, GroupHistory::FromJoining}, GroupDissolved{kGroupId}});
  round_trip<GroupName>(eventsourcing::EventCodec<GroupName>{},
                        {GroupNameClaimed{kEve, kGroupId}, GroupNameReleased{kEve, kGroupId}});
  round_trip<Remark>(eventsourcing::EventCodec<Remark>(cipher),
                     {ContactRemarked{kAda, kBob, "Bobby ♥"}, ContactRemarkRemoved{kAda, kBob}});
  round_trip<Suggestion>(eventsourcing::EventCodec<Suggestion>{},
                         {ContactSuggestionDismissed{kAda, kBob}});
  round_trip<FollowSetting>(eventsourcing::EventCodec<FollowSetting>{},
                            {FollowCountsShown{kAda, CountAudience::Contacts}});
  round_trip<Membership>(
      eventsourcing::EventCodec<Membership>{},
      {GroupInvited{kGroupId, kBob, kAda}, GroupJoined{kGroupId, kBob}, GroupLeft{kGroupId, kBob},
       GroupInvitationDeclined{kGroupId, kBob, core::Timestamp(std::chrono::hours(1))},
       GroupMemberRemoved{kGroupId, kBob, kAda}, GroupAdminChanged{kGroupId, kBob, true}});
  round_trip<MemberCount>(eventsourcing::EventCodec<MemberCount>{},
                          {MemberCountChanged{kGroupId, 500}});
}

RC_GTEST_FIXTURE_PROP(Codecs, SealAndOpenAnyName, (const std::string& name)) {
  const eventsourcing::EventCodec<Tag> codec(cipher);
  const TagCreated created{kAda, kTagId, name};
  const auto read = codec.decode(record(codec.encode(created)));
  RC_ASSERT(read.has_value() && *read == Tag::Event(created));
}

TEST_F(Codecs, ANameIsNotInTheStoredEvent) {
  EXPECT_EQ(eventsourcing::EventCodec<Tag>(cipher)
                .encode(TagCreated{kAda, kTagId, "plain words"})
                .data.find("plain"),
            std::string::npos);
  const auto group = eventsourcing::EventCodec<Group>(cipher).encode(
      GroupCreated{kGroupId, kAda, "plain words", true});
  EXPECT_EQ(group.data.find("plain"), std::string::npos);
  const auto remark =
      eventsourcing::EventCodec<Remark>(cipher).encode(ContactRemarked{kAda, kBob, "plain words"});
  EXPECT_EQ(remark.data.find("plain"), std::string::npos);
}

TEST_F(Codecs, ADestroyedKeyTakesTheNameAlone) {
  const eventsourcing::EventCodec<Tag> codec(cipher);
  const auto stored = record(codec.encode(TagCreated{kAda, kTagId, "family"}));
  ASSERT_TRUE(cipher.destroy(kAda).ok());
  const auto read = codec.decode(stored);
  EXPECT_TRUE(read.has_value() && *read == Tag::Event(TagCreated{kAda, kTagId, ""}));
  EXPECT_THROW((void)codec.encode(TagCreated{kAda, kTagId, "family"}), es::CodecFailed);
}

TEST_F(Codecs, DamagedDataIsAnErrorNotAnEvent) {
  es::RecordedEvent broken;
  broken.source = "social-graph";
  broken.type = "ContactAccepted";
  for (const std::string data :
       {R"({})", R"([])", R"(nonsense)", R"({"from":1,"to":2,"first":3})",
        R"({"from":"aeaaaaaaaaaaaaaaaaaaaaaaaa","to":"short","first":true})"}) {
    broken.data = data;
    EXPECT_THROW((void)eventsourcing::EventCodec<ContactPair>{}.decode(broken), es::CodecFailed)
        << data;
    EXPECT_THROW((void)es::read_as<ContactAccepted>(broken), es::PoisonEvent) << data;
  }
}

}  // namespace
}  // namespace tideline::social_graph
