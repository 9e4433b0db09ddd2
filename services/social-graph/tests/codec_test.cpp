// What is stored is read again as it was, and personal text is not in it.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/clock.hpp"
#include "eventsourcing/codec.hpp"
#include "social-graph/api/contact_codec.hpp"
#include "social-graph/api/follow_codec.hpp"
#include "social-graph/api/group_codec.hpp"
#include "social-graph/api/moment_setting_codec.hpp"
#include "social-graph/api/tag_codec.hpp"
#include "social-graph/projections/events_read.hpp"
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
  round_trip<ContactPair>(
      ContactPairCodec{},
      {ContactRequested{kAda, kBob}, ContactAccepted{kAda, kBob, true}, ContactDeclined{kAda, kBob},
       ContactRequestWithdrawn{kAda, kBob}, ContactRemoved{kBob, kAda}});
  round_trip<ContactCount>(ContactCountCodec{}, {ContactCountChanged{kAda, 4999}});
  round_trip<Follow>(FollowCodec{}, {Followed{kAda, kBob, true}, Unfollowed{kAda, kBob}});
  round_trip<Tag>(TagCodec(cipher),
                  {TagCreated{kAda, kTagId, "Familie ♥"}, TagDeleted{kAda, kTagId}});
  round_trip<Tagging>(TaggingCodec{},
                      {ContactTagged{kAda, kTagId, kBob}, ContactUntagged{kAda, kTagId, kBob}});
  round_trip<MomentSetting>(MomentSettingCodec{}, {MomentSettingChanged{kAda, kBob, true, false}});
  round_trip<Group>(GroupCodec(cipher),
                    {GroupCreated{kGroupId, kAda, "chess", true}, GroupDissolved{kGroupId}});
  round_trip<Membership>(
      MembershipCodec{},
      {GroupInvited{kGroupId, kBob, kAda}, GroupJoined{kGroupId, kBob}, GroupLeft{kGroupId, kBob}});
  round_trip<MemberCount>(MemberCountCodec{}, {MemberCountChanged{kGroupId, 500}});
}

RC_GTEST_FIXTURE_PROP(Codecs, SealAndOpenAnyName, (const std::string& name)) {
  const TagCodec codec(cipher);
  const TagCreated created{kAda, kTagId, name};
  const auto read = codec.decode(record(codec.encode(created)));
  RC_ASSERT(read.has_value() && *read == Tag::Event(created));
}

TEST_F(Codecs, ANameIsNotInTheStoredEvent) {
  EXPECT_EQ(TagCodec(cipher).encode(TagCreated{kAda, kTagId, "plain words"}).data.find("plain"),
            std::string::npos);
  const auto group = GroupCodec(cipher).encode(GroupCreated{kGroupId, kAda, "plain words", true});
  EXPECT_EQ(group.data.find("plain"), std::string::npos);
}

TEST_F(Codecs, ADestroyedKeyTakesTheNameAlone) {
  const TagCodec codec(cipher);
  const auto stored = record(codec.encode(TagCreated{kAda, kTagId, "family"}));
  ASSERT_TRUE(cipher.destroy(kAda).ok());
  const auto read = codec.decode(stored);
  EXPECT_TRUE(read.has_value() && *read == Tag::Event(TagCreated{kAda, kTagId, ""}));
  EXPECT_THROW((void)codec.encode(TagCreated{kAda, kTagId, "family"}), es::CodecFailed);
}

TEST_F(Codecs, DamagedDataIsAnErrorNotAnEvent) {
  es::RecordedEvent broken;
  broken.type = "ContactAccepted";
  for (const std::string data :
       {R"({})", R"([])", R"(nonsense)", R"({"from":1,"to":2,"first":3})",
        R"({"from":"aeaaaaaaaaaaaaaaaaaaaaaaaa","to":"short","first":true})"}) {
    broken.data = data;
    EXPECT_THROW((void)ContactPairCodec{}.decode(broken), es::CodecFailed) << data;
    EXPECT_THROW((void)read_event<ContactPair>(broken), es::PoisonEvent) << data;
  }
}

}  // namespace
}  // namespace tideline::social_graph
