#include "feed/domain/bookmark.hpp"

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/compaction_law.hpp"
#include "eventsourcing/testing/given_when_then.hpp"
#include "feed/projections/bookmark_queries.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::testing::given;

const core::AccountId kAda(core::AccountId::Bytes{1});
const core::MomentId kMoment{4'711};
const core::Timestamp kNow{std::chrono::seconds(1'800'000'000)};

TEST(Bookmark, IsSetAndRemovedAgainAndAgain) {
  const MomentBookmarked set{kAda, kMoment, kNow};
  const BookmarkRemoved removed{kAda, kMoment};
  given<Bookmark>().when(BookmarkMoment{kAda, kMoment, kNow}).then(set);
  given<Bookmark>(set).when(BookmarkMoment{kAda, kMoment, kNow}).then_nothing();
  given<Bookmark>(set).when(RemoveBookmark{kAda, kMoment}).then(removed);
  given<Bookmark>(set, removed).when(RemoveBookmark{kAda, kMoment}).then_nothing();
  given<Bookmark>(set, removed).when(BookmarkMoment{kAda, kMoment, kNow}).then(set);
  given<Bookmark>().when(RemoveBookmark{kAda, kMoment}).then_nothing();
}

TEST(Bookmark, CompactionKeepsDecisions) {
  eventsourcing::testing::expect_compaction_keeps_decisions<Bookmark>(
      {BookmarkMoment{kAda, kMoment, kNow}, RemoveBookmark{kAda, kMoment}});
}

TEST(Bookmark, IsStoredAsItWasDecided) {
  const eventsourcing::EventCodec<Bookmark> codec;
  for (const Bookmark::Event& event : {Bookmark::Event(MomentBookmarked{kAda, kMoment, kNow}),
                                       Bookmark::Event(BookmarkRemoved{kAda, kMoment})}) {
    const auto stored = codec.encode(event);
    eventsourcing::RecordedEvent recorded;
    recorded.source = "feed";
    recorded.type = stored.type;
    recorded.schema_version = stored.schema_version;
    recorded.data = stored.data;
    EXPECT_EQ(codec.decode(recorded), event);
  }
}

TEST(Bookmark, IsAPlaceInTheList) {
  const BookmarkRow row{kNow, kMoment};
  EXPECT_EQ(to_string(row), "2027-01-15T08:00:00.000000Z,4711");
  EXPECT_EQ(parse_bookmark_place(to_string(row)), row);
  for (const char* text : {"", ",", "4711", "2027-01-15T08:00:00.000000Z,", "x,4711",
                           "2027-01-15T08:00:00.000000Z,0", "2027-01-15T08:00:00.000000Z,x"}) {
    EXPECT_EQ(parse_bookmark_place(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tideline::feed
