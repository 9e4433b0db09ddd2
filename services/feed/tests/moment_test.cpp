#include "feed/domain/moment.hpp"

#include "eventsourcing/testing/given_when_then.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::AccountId kBob(core::AccountId::Bytes{2});
const core::MomentId kId{4'711};
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

PublishMoment command(Audience audience = Audience::Public, AudienceLists lists = {}) {
  return {kId, kAda, audience, std::move(lists), "hello", {"a1"}, kNow};
}

MomentPublished published(Audience audience = Audience::Public, AudienceLists lists = {}) {
  return {kId, kAda, audience, std::move(lists), "hello", {"a1"}, kNow};
}

TEST(Moment, IsPublishedForEachAudience) {
  given<Moment>().when(command()).then(published());
  given<Moment>().when(command(Audience::Private)).then(published(Audience::Private));
  const AudienceLists lists{{"g"}, {"t"}, {kBob}};
  for (const auto audience : {Audience::PartlyVisible, Audience::PartlyInvisible}) {
    given<Moment>().when(command(audience, lists)).then(published(audience, lists));
    given<Moment>().when(command(audience)).then(published(audience));
  }
}

TEST(Moment, TakesListsOnlyForThePartlyAudiences) {
  for (const auto audience : {Audience::Public, Audience::Private}) {
    given<Moment>()
        .when(command(audience, {{"g"}, {}, {}}))
        .then_rejected("audience-takes-no-lists");
    given<Moment>()
        .when(command(audience, {{}, {"t"}, {}}))
        .then_rejected("audience-takes-no-lists");
    given<Moment>()
        .when(command(audience, {{}, {}, {kBob}}))
        .then_rejected("audience-takes-no-lists");
  }
}

TEST(Moment, CountsItsContentInCodePoints) {
  const auto with = [](std::string content) {
    PublishMoment wanted = command();
    wanted.content = std::move(content);
    return wanted;
  };
  std::string longest;
  for (std::size_t i = 0; i < Moment::kContentCodePointsMax; ++i) longest += "\u6d6a";
  EXPECT_FALSE(Moment::decide({}, with(longest)).rejected());
  given<Moment>().when(with(longest + "!")).then_rejected("content-length");
  EXPECT_FALSE(Moment::decide({}, with("")).rejected()) << "it has an image";
  PublishMoment empty = with("");
  empty.images.clear();
  given<Moment>().when(empty).then_rejected("content-length");
  given<Moment>().when(with("\xff")).then_rejected("content-length");
}

TEST(Moment, HasAtMostNineImages) {
  PublishMoment wanted = command();
  wanted.images = std::vector<std::string>(9, "x");
  EXPECT_FALSE(Moment::decide({}, wanted).rejected());
  wanted.images.emplace_back("x");
  given<Moment>().when(wanted).then_rejected("too-many-images");
}

TEST(Moment, NamesABoundedAudience) {
  AudienceLists lists;
  lists.user_ids.resize(Moment::kListedUsersMax + 1);
  given<Moment>().when(command(Audience::PartlyVisible, lists)).then_rejected("audience-too-long");
}

ChangeAudience change(Audience audience, AudienceLists lists = {}) {
  return {kAda, audience, std::move(lists), kNow};
}
MomentAudienceChanged changed(std::uint32_t number, Audience audience, AudienceLists lists = {}) {
  return {kId, kAda, number, audience, std::move(lists), kNow};
}

TEST(Moment, IsForAnotherAudienceWheneverItsAuthorSaysSo) {
  const AudienceLists bob{{}, {}, {kBob}};
  given<Moment>(published())
      .when(change(Audience::PartlyVisible, bob))
      .then(changed(1, Audience::PartlyVisible, bob));
  given<Moment>(published(), changed(1, Audience::PartlyVisible, bob))
      .when(change(Audience::PartlyInvisible, bob))
      .then(changed(2, Audience::PartlyInvisible, bob));
  given<Moment>(published(), changed(1, Audience::PartlyVisible, bob))
      .when(change(Audience::PartlyVisible, bob))
      .then_nothing();
  given<Moment>(published()).when(change(Audience::Public)).then_nothing();
}

TEST(Moment, KeepsItsAudienceFromOthersAndFromLists) {
  given<Moment>(published())
      .when(change(Audience::Private, {{"g"}, {}, {}}))
      .then_rejected("audience-takes-no-lists");
  given<Moment>(published())
      .when(ChangeAudience{kBob, Audience::Private, {}, kNow})
      .then_rejected("not-the-author");
  given<Moment>().when(change(Audience::Private)).then_rejected("no-such-moment");
  given<Moment>(published(), MomentDeleted{kId, kAda})
      .when(change(Audience::Private))
      .then_rejected("no-such-moment");
}

TEST(Moment, ChangesItsAudienceTwentyTimes) {
  given<Moment>(published(), changed(19, Audience::Private))
      .when(change(Audience::Public))
      .then(changed(20, Audience::Public));
  given<Moment>(published(), changed(20, Audience::Private))
      .when(change(Audience::Public))
      .then_rejected("too-many-audience-changes");
}

TEST(Moment, OfOneIdIsPublishedOnce) {
  given<Moment>(published()).when(command()).then_rejected("moment-id-taken");
}

TEST(Moment, IsDeletedByItsAuthorOnce) {
  given<Moment>(published()).when(DeleteMoment{kAda}).then(MomentDeleted{kId, kAda});
  given<Moment>(published(), MomentDeleted{kId, kAda}).when(DeleteMoment{kAda}).then_nothing();
}

TEST(Moment, IsDeletedByNobodyElse) {
  given<Moment>(published()).when(DeleteMoment{kBob}).then_rejected("not-the-author");
  given<Moment>().when(DeleteMoment{kAda}).then_rejected("no-such-moment");
}

TEST(Moment, RepostsAnotherWithOrWithoutWordsOfItsOwn) {
  const Reposted original{core::MomentId(7), kBob};
  for (const char* content : {"", "look"}) {
    PublishMoment wanted = command();
    wanted.content = content;
    wanted.images.clear();
    wanted.repost = original;
    MomentPublished expected = published();
    expected.content = content;
    expected.images.clear();
    expected.repost_of = original.moment;
    expected.repost_author = original.author;
    given<Moment>().when(wanted).then(expected);
    given<Moment>(expected)
        .when(EditMoment{kAda, "other", kNow})
        .then(MomentEdited{kId, kAda, 1, "other", kNow});
    EXPECT_EQ(Moment::evolve({}, expected).repost, original);
    EXPECT_FALSE(
        Moment::decide(Moment::evolve({}, expected), EditMoment{kAda, "", kNow}).rejected());
  }
}

}  // namespace
}  // namespace tideline::feed
