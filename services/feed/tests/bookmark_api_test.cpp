// Bookmarks through the routes, on the store in memory.
#include <gtest/gtest.h>

#include "eventsourcing/events/event_codec.hpp"
#include "feed/domain/bookmark.hpp"
#include "feed/stored_events.hpp"
#include "feed_app.hpp"

namespace tideline::feed {
namespace {

using http::Method;
using testing::FeedApp;
using testing::NoDatabase;

class BookmarkApi : public ::testing::Test {
 protected:
  BookmarkApi() {
    app.befriend("ada", "bob");
    open = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
    secret = app.publish("ada", {{"content", "x"}, {"audience", "private"}});
    app.deliver();
  }

  http::Response bookmark(const std::string& who, const std::string& id) {
    return app.call(who, Method::Put, "/v1/moments/" + id + "/bookmark");
  }
  int remove(const std::string& who, const std::string& id) {
    return app.call(who, Method::Delete, "/v1/moments/" + id + "/bookmark").status;
  }

  NoDatabase database;
  FeedApp app{database};
  std::string open, secret;
};

TEST_F(BookmarkApi, SetsAndRemovesOnceAndCounts) {
  EXPECT_EQ(bookmark("bob", open).status, 204);
  EXPECT_EQ(bookmark("bob", open).status, 204);
  EXPECT_EQ(remove("bob", open), 204);
  EXPECT_EQ(remove("bob", open), 204);
  std::map<std::string, int> types;
  for (const auto& event : app.deliver()) ++types[event.type];
  EXPECT_EQ(types,
            (std::map<std::string, int>{
                {"MomentBookmarked", 1}, {"BookmarkRemoved", 1}, {"BookmarkCountChanged", 2}}));
}

TEST_F(BookmarkApi, TellsNothingOfAMomentThatHeMayNotSee) {
  app.exclude("ada", "cleo");
  for (const auto& [who, id] :
       {std::pair{"bob", secret}, std::pair{"cleo", open}, std::pair{"bob", std::string("123")},
        std::pair{"bob", std::string("abc")}}) {
    EXPECT_EQ(bookmark(who, id).status, 404) << who;
    EXPECT_EQ(remove(who, id), 404) << who;
  }
  EXPECT_TRUE(app.new_events().empty());
}

TEST_F(BookmarkApi, RemovesOneOfAMomentThatHeMayNotSeeAnyMore) {
  EXPECT_EQ(bookmark("bob", open).status, 204);
  app.deliver();
  app.block("ada", "bob");
  EXPECT_EQ(bookmark("bob", open).status, 404);
  EXPECT_EQ(remove("bob", open), 204);
  EXPECT_EQ(remove("bob", open), 404) << "now it is as if it had never been";
}

TEST_F(BookmarkApi, AreLimitedForEachPerson) {
  const core::AccountId bob = app.id_of("bob");
  eventsourcing::Append append;
  append.time = app.clock.now();
  append.streams.push_back(
      {keys::bookmark_count(bob),
       core::StreamVersion(0),
       {eventsourcing::EventCodec<BookmarkCount>{}.encode(BookmarkCountChanged{bob, 4'999})}});
  ASSERT_TRUE(app.store.append(std::move(append)).ok());
  const auto another = app.publish("ada", {{"content", "y"}, {"audience", "public"}});
  app.deliver();
  EXPECT_EQ(bookmark("bob", open).status, 204);
  const auto full = bookmark("bob", another);
  EXPECT_EQ(full.status, 409);
  EXPECT_NE(full.body.find("bookmark-limit-reached"), std::string::npos);
  EXPECT_EQ(bookmark("bob", open).status, 204) << "it is there already";
  EXPECT_EQ(remove("bob", open), 204);
  EXPECT_EQ(bookmark("bob", another).status, 204);
}

}  // namespace
}  // namespace tideline::feed
