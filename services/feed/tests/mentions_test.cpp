// Whom moments and comments mention: the rules of what is written.
#include "feed/domain/mentions.hpp"

#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/moment.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kWriter(core::AccountId::Bytes{1});
const core::MomentId kWritten{4'711};
const core::Timestamp kThen{std::chrono::seconds(1'800'000'000)};

std::vector<core::AccountId> people(std::size_t count) {
  std::vector<core::AccountId> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.emplace_back(core::AccountId::Bytes{2, static_cast<std::uint8_t>(i)});
  }
  return all;
}

PublishMoment moment_for(std::vector<core::AccountId> mentions) {
  return {kWritten, kWriter, Audience::Public, {}, "hello", {}, kThen, std::move(mentions)};
}
AddComment comment_for(std::vector<core::AccountId> mentions) {
  return {kWritten, kWriter, core::CommentId(7), {}, {}, kWriter,
          "hello",  kThen,   std::move(mentions)};
}

TEST(Mentions, StandInTheEvents) {
  const auto mentioned = people(kMentionsMax);
  given<Moment>()
      .when(moment_for(mentioned))
      .then(
          MomentPublished{kWritten, kWriter, Audience::Public, {}, "hello", {}, kThen, mentioned});
  given<Comment>()
      .when(comment_for(mentioned))
      .then(CommentAdded{
          kWritten, kWriter, core::CommentId(7), {}, kWriter, "hello", kThen, {}, mentioned});
}

TEST(Mentions, AreFewAndEachPersonOnce) {
  const auto many = people(kMentionsMax + 1);
  given<Moment>().when(moment_for(many)).then_rejected("too-many-mentions");
  given<Comment>().when(comment_for(many)).then_rejected("too-many-mentions");
  auto twice = people(2);
  twice.push_back(twice.front());
  given<Moment>().when(moment_for(twice)).then_rejected("mentioned-twice");
  given<Comment>().when(comment_for(twice)).then_rejected("mentioned-twice");
}

TEST(Mentions, OfStrangersAreCounted) {
  const AddressCount::Add one{kWriter, kAddressingsADay, kAddressLimit};
  given<AddressCount>().when(one).then(AddressCountChanged{kWriter, 1});
  given<AddressCount>(AddressCountChanged{kWriter, kAddressingsADay})
      .when(one)
      .then_rejected("address-limit-reached");
}

}  // namespace
}  // namespace tideline::feed
