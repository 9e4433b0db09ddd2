// What the demo expects people to be told, held to the words of the design by small cases; and that
// its pictures are pictures.

#include "demo/notifications.hpp"

#include <gtest/gtest.h>

#include "demo/pictures.hpp"

namespace tideline::demo {
namespace {

constexpr PersonIndex kAuthor = 0;
constexpr PersonIndex kFriend = 1;
constexpr PersonIndex kStranger = 2;

class ToldOf : public ::testing::Test {
 protected:
  ToldOf() {
    world_.people.resize(3);
    world_.contacts = {{kFriend}, {kAuthor}, {}};
    world_.following.resize(3);
    world_.hidden_from.resize(3);
    world_.moments.push_back({7, kAuthor, Audience::Public, {}, {}, {}, "", false});
  }
  Told told(PersonIndex owner) const { return told_of(world_, owner); }

  World world_;
};

TEST_F(ToldOf, LikesAndCommentsOfContactsAlone) {
  world_.likes = {{0, kFriend}, {0, kStranger}, {0, kAuthor}};
  world_.comments = {{"1", 0, kFriend, std::nullopt}, {"2", 0, kStranger, std::nullopt}};
  EXPECT_EQ(told(kAuthor), (Told{{{"like", "7"}, {kFriend}}, {{"comment", "7"}, {kFriend}}}));
  EXPECT_EQ(told(kFriend), Told{});
  world_.comments[0].deleted = true;
  world_.contacts[kAuthor].insert(kStranger);
  EXPECT_EQ(told(kAuthor),
            (Told{{{"like", "7"}, {kFriend, kStranger}}, {{"comment", "7"}, {kStranger}}}));
  world_.moments[0].deleted = true;
  EXPECT_EQ(told(kAuthor), Told{});
}

TEST_F(ToldOf, AnAnswerWhomItAnswersWhileBothAreThereToHim) {
  world_.comments = {{"1", 0, kFriend, std::nullopt}, {"2", 0, kAuthor, 0}};
  EXPECT_EQ(told(kFriend), (Told{{{"reply", "7"}, {kAuthor}}}));
  world_.moments[0].audience = Audience::Private;
  EXPECT_EQ(told(kFriend), Told{});
  world_.moments[0].audience = Audience::Public;
  world_.comments[0].deleted = true;
  EXPECT_EQ(told(kFriend), Told{});
}

TEST_F(ToldOf, FollowsAndContactsAsLongAsTheyStandAndAreNotMuted) {
  world_.following[kStranger].insert(kAuthor);
  world_.accepted = {{kAuthor, kFriend}};
  EXPECT_EQ(told(kAuthor), (Told{{{"follow", ""}, {kStranger}}, {{"contact", ""}, {kFriend}}}));
  EXPECT_EQ(told(kFriend), Told{}) << "who has accepted";
  world_.mutes[kAuthor] = {true, {}};
  EXPECT_EQ(told(kAuthor), (Told{{{"contact", ""}, {kFriend}}}));
  world_.mutes[kAuthor] = {false, {kFriend}};
  world_.following[kStranger].clear();
  EXPECT_EQ(told(kAuthor), Told{});
}

TEST(Pictures, HaveTheirSize) {
  const std::string png = png_of(3, 2, 0);
  EXPECT_EQ(png.substr(12, 12), std::string("IHDR\0\0\0\3\0\0\0\2", 12));
  EXPECT_NE(png, png_of(3, 2, 1));
  EXPECT_EQ(size_of_webp(png), std::pair(0U, 0U));
  EXPECT_EQ(size_of_webp(std::string("RIFF....WEBPVP8 ....", 20) + std::string(6, 'x') +
                         std::string("\x84\x03\x58\x02", 4)),
            std::pair(900U, 600U));
}

}  // namespace
}  // namespace tideline::demo
