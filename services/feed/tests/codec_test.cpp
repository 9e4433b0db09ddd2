// What is stored reads back as what was decided, and shows no text of a person.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/like.hpp"
#include "feed/domain/message.hpp"
#include "feed/domain/message_reading.hpp"
#include "feed/domain/moment.hpp"
#include "feed/domain/timeline_reading.hpp"
#include "feed/stored_events.hpp"

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
  bytes.back() = static_cast<std::uint8_t>(*rc::gen::inRange(1, 256));  // nobody's is all zeros
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
  const eventsourcing::EventCodec<Moment> codec(sealing.cipher);
  MomentPublished published{
      core::MomentId(*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62)),
      account(),
      *rc::gen::element(Audience::Public, Audience::Private, Audience::PartlyVisible,
                        Audience::PartlyInvisible),
      {{valid_text()}, {valid_text()}, accounts()},
      valid_text(),
      {valid_text(), valid_text()},
      time(),
      accounts()};
  if (*rc::gen::arbitrary<bool>()) {
    published.repost_of = core::MomentId(*rc::gen::inRange<std::uint64_t>(1, 1'000));
    published.repost_author = account();
  }
  published.has_poll = *rc::gen::arbitrary<bool>();
  const PollOpened opened{published.id,
                          published.author,
                          valid_text(),
                          *rc::gen::inRange<std::uint32_t>(2, 7),
                          *rc::gen::arbitrary<bool>(),
                          time()};
  const MomentDeleted deleted{published.id, published.author};
  const MomentEdited edited{published.id, published.author,
                            *rc::gen::inRange<std::uint32_t>(1, Moment::kEditsMax + 1),
                            valid_text(), time()};
  const MomentHidden hidden{published.id, published.author, time()};
  const MomentRestored restored{published.id, published.author, time()};
  for (const Moment::Event& event :
       {Moment::Event(published), Moment::Event(opened), Moment::Event(edited),
        Moment::Event(hidden), Moment::Event(restored), Moment::Event(deleted)}) {
    RC_ASSERT(codec.decode(recorded(codec.encode(event))) == event);
  }
}

RC_GTEST_PROP(LikeCodec, ReadsWhatItWrote, ()) {
  const core::MomentId moment(*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62));
  MomentLiked liked{moment, account(), time(), {}};
  if (*rc::gen::arbitrary<bool>()) liked.moment_author = account();
  const MomentUnliked unliked{moment, account()};
  for (const Like::Event& event : {Like::Event(liked), Like::Event(unliked)}) {
    RC_ASSERT(eventsourcing::EventCodec<Like>().decode(
                  recorded(eventsourcing::EventCodec<Like>().encode(event))) == event);
  }
}

RC_GTEST_PROP(CommentCodec, ReadsWhatItWrote, ()) {
  Sealing sealing;
  const eventsourcing::EventCodec<Comment> codec(sealing.cipher);
  const auto id = [] {
    return core::CommentId(*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62));
  };
  CommentAdded added;
  added.moment = core::MomentId(id().value());
  added.moment_author = account();
  added.id = id();
  if (*rc::gen::arbitrary<bool>()) added.parent = id();
  if (*rc::gen::arbitrary<bool>()) added.parent_author = account();
  added.author = account();
  added.text = valid_text();
  added.written_at = time();
  added.mentions = accounts();
  const CommentDeleted deleted{added.moment, added.id, added.author, account()};
  for (const Comment::Event& event : {Comment::Event(added), Comment::Event(deleted)}) {
    RC_ASSERT(codec.decode(recorded(codec.encode(event))) == event);
  }
}

RC_GTEST_PROP(MessageCodec, ReadsWhatItWrote, ()) {
  Sealing sealing;
  const eventsourcing::EventCodec<Message> codec(sealing.cipher);
  MessageSent sent{account(), std::nullopt, std::nullopt, accounts(), valid_text(), time()};
  if (*rc::gen::arbitrary<bool>()) {
    sent.recipient = account();
  } else {
    sent.group_id = valid_text();
  }
  if (*rc::gen::arbitrary<bool>()) sent.images = {valid_text()};
  const MessageRecalled recalled{sent.sender, sent.recipient, sent.group_id, sent.sent_at, time()};
  for (const Message::Event& event : {Message::Event(sent), Message::Event(recalled)}) {
    RC_ASSERT(codec.decode(recorded(codec.encode(event))) == event);
  }
}

RC_GTEST_PROP(TimelineReadingCodec, ReadsWhatItWrote, ()) {
  const TimelineSeen seen{
      account(), core::MomentId(*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62))};
  const eventsourcing::EventCodec<TimelineReading> codec;
  RC_ASSERT(codec.decode(recorded(codec.encode(seen))) == TimelineReading::Event(seen));
}

RC_GTEST_PROP(MessageReadingCodec, ReadsWhatItWrote, ()) {
  MessagesRead read{account(), {}};
  for (const core::AccountId& sender : accounts()) read.messages.push_back({time(), sender});
  const eventsourcing::EventCodec<MessageReading> codec;
  RC_ASSERT(codec.decode(recorded(codec.encode(read))) == MessageReading::Event(read));
}

TEST(MessageReadingCodec, RefusesDamage) {
  const eventsourcing::EventCodec<MessageReading> codec;
  const core::AccountId reader(core::AccountId::Bytes{1});
  const RecordedEvent good = recorded(codec.encode(MessagesRead{reader, {}}));
  const std::vector<std::string> bad{"", "_", "x", reader.to_string() + "_",
                                     "x_2026-01-02T03:04:05.000000Z"};
  for (const std::string& key : bad) {
    RecordedEvent stored = good;
    auto data = nlohmann::json::parse(good.data);
    data["messages"] = {key};
    stored.data = data.dump();
    EXPECT_THROW(codec.decode(stored), CodecFailed) << key;
  }
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
  const auto event = eventsourcing::EventCodec<Moment>(sealing.cipher).encode(secret());
  EXPECT_EQ(event.data.find("boathouse"), std::string::npos);
  EXPECT_EQ(event.visibility, eventsourcing::Visibility::Public);
}

TEST(MomentCodec, SealsTheContentOfAnEdit) {
  Sealing sealing;
  MomentEdited edited;
  edited.id = core::MomentId(1);
  edited.author = kAda;
  edited.edit = 1;
  edited.content = "meet me at the boathouse";
  EXPECT_EQ(eventsourcing::EventCodec<Moment>(sealing.cipher).encode(edited).data.find("boathouse"),
            std::string::npos);
}

TEST(CommentCodec, SealsTheText) {
  Sealing sealing;
  CommentAdded added;
  added.moment = core::MomentId(1);
  added.id = core::CommentId(2);
  added.author = kAda;
  added.text = "meet me at the boathouse";
  EXPECT_EQ(eventsourcing::EventCodec<Comment>(sealing.cipher).encode(added).data.find("boathouse"),
            std::string::npos);
}

TEST(MomentCodec, ReadsNothingOfAnErasedAuthor) {
  Sealing sealing;
  const eventsourcing::EventCodec<Moment> codec(sealing.cipher);
  const auto stored = recorded(codec.encode(secret()));
  ASSERT_TRUE(sealing.cipher.destroy(kAda));
  const auto read = codec.decode(stored);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<MomentPublished>(*read).content, "");
  EXPECT_THROW(codec.encode(secret()), CodecFailed);
}

TEST(MomentCodec, PassesOverWhatItDoesNotKnowAndRefusesDamage) {
  Sealing sealing;
  const eventsourcing::EventCodec<Moment> codec(sealing.cipher);
  RecordedEvent stored = recorded(codec.encode(secret()));
  stored.type = "MomentFramed";
  EXPECT_EQ(codec.decode(stored), std::nullopt);
  stored.type = "MomentPublished";
  stored.data = "{}";
  EXPECT_THROW(codec.decode(stored), CodecFailed);
}

}  // namespace
}  // namespace tideline::feed
