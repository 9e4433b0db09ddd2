// What is stored reads back as what was decided, and shows no text of a person.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "eventsourcing/position_vector.hpp"
#include "feed/api/message_codec.hpp"
#include "feed/api/moment_codec.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::CodecFailed;
using eventsourcing::NewEvent;
using eventsourcing::RecordedEvent;

RecordedEvent recorded(const NewEvent& event) {
  RecordedEvent stored;
  stored.source = "feed";
  stored.type = event.type;
  stored.schema_version = event.schema_version;
  stored.data = event.data;
  return stored;
}

struct Sealing {
  core::ManualClock clock{core::Timestamp(std::chrono::seconds(1'800'000'000))};
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher{keys, clock};
};

core::AccountId account() {
  core::AccountId::Bytes bytes{};
  for (auto& byte : bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  return core::AccountId(bytes);
}

std::vector<core::AccountId> accounts() {
  std::vector<core::AccountId> made(*rc::gen::inRange<std::size_t>(0, 4));
  for (auto& one : made) one = account();
  return made;
}

core::Timestamp time() {
  return core::Timestamp(
      std::chrono::microseconds(*rc::gen::inRange<std::int64_t>(0, 2'000'000'000'000'000)));
}

std::string token() {
  eventsourcing::PositionVector positions;
  if (*rc::gen::arbitrary<bool>()) {
    positions.raise("feed", core::LogIndex(3), core::LogPosition(*rc::gen::inRange(1, 100)));
  }
  return positions.empty() ? "" : positions.to_token();
}

std::string valid_text() {
  std::string chosen;
  for (const std::uint8_t byte :
       *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(1, 128))) {
    chosen.push_back(static_cast<char>(byte));
  }
  return chosen + "\u6d6a";
}

RC_GTEST_PROP(MomentCodec, ReadsWhatItWrote, ()) {
  Sealing sealing;
  const MomentCodec codec(sealing.cipher);
  const MomentPublished published{
      core::MomentId(*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62)),
      account(),
      *rc::gen::element(Audience::Public, Audience::Private, Audience::PartlyVisible,
                        Audience::PartlyInvisible),
      {{valid_text()}, {valid_text()}, accounts()},
      valid_text(),
      {valid_text(), valid_text()},
      time(),
      token()};
  const MomentDeleted deleted{published.id, published.author};
  for (const Moment::Event& event : {Moment::Event(published), Moment::Event(deleted)}) {
    RC_ASSERT(codec.decode(recorded(codec.encode(event))) == event);
  }
}

RC_GTEST_PROP(MessageCodec, ReadsWhatItWrote, ()) {
  Sealing sealing;
  const MessageCodec codec(sealing.cipher);
  MessageSent sent{account(),    std::nullopt, std::nullopt, accounts(),
                   valid_text(), time(),       token()};
  if (*rc::gen::arbitrary<bool>()) {
    sent.recipient = account();
  } else {
    sent.group_id = valid_text();
  }
  RC_ASSERT(codec.decode(recorded(codec.encode(sent))) == Message::Event(sent));
}

const core::AccountId kAda(core::AccountId::Bytes{1});

MomentPublished secret() {
  MomentPublished moment;
  moment.id = core::MomentId(1);
  moment.author = kAda;
  moment.content = "meet me at the boathouse";
  return moment;
}

TEST(MomentCodec, SealsTheContent) {
  Sealing sealing;
  const auto event = MomentCodec(sealing.cipher).encode(secret());
  EXPECT_EQ(event.data.find("boathouse"), std::string::npos);
  EXPECT_EQ(event.visibility, eventsourcing::Visibility::Public);
}

TEST(MomentCodec, ReadsNothingOfAnErasedAuthor) {
  Sealing sealing;
  const MomentCodec codec(sealing.cipher);
  const auto stored = recorded(codec.encode(secret()));
  ASSERT_TRUE(sealing.cipher.destroy(kAda));
  const auto read = codec.decode(stored);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<MomentPublished>(*read).content, "");
  EXPECT_THROW(codec.encode(secret()), CodecFailed);
}

TEST(MomentCodec, PassesOverWhatItDoesNotKnowAndRefusesDamage) {
  Sealing sealing;
  const MomentCodec codec(sealing.cipher);
  RecordedEvent stored = recorded(codec.encode(secret()));
  stored.type = "MomentFramed";
  EXPECT_EQ(codec.decode(stored), std::nullopt);
  stored.type = "MomentPublished";
  stored.data = "{}";
  EXPECT_THROW(codec.decode(stored), CodecFailed);
}

}  // namespace
}  // namespace tideline::feed
