#include "feed/settings.hpp"

#include <gtest/gtest.h>

namespace tideline::feed {
namespace {

Settings read(std::string_view text, std::size_t mistakes = 0) {
  const char* const no_environment[] = {nullptr};
  core::Config config(text, no_environment);
  const Settings settings = Settings::read(config);
  EXPECT_EQ(config.mistakes().size(), mistakes);
  return settings;
}

TEST(Settings, HaveDefaultsUnderWhichEveryRuleHolds) {
  const Settings settings = read("");
  EXPECT_EQ(settings.timeline_length_max, 512U);
  EXPECT_EQ(settings.timeline_bytes_max, std::size_t{1} << 30);
  EXPECT_EQ(settings.content_bytes_max, std::size_t{256} << 20);
  EXPECT_EQ(read("TIDELINE_FEED_CONTENT_BYTES=0").content_bytes_max, 0U);
  EXPECT_EQ(settings.rules(), VisibilityRules());
}

TEST(Settings, SwitchOffOneRule) {
  EXPECT_EQ(read("TIDELINE_FEED_DISABLED_RULE=exclusion").rules(),
            VisibilityRules{.exclusion = false});
  EXPECT_EQ(read("TIDELINE_FEED_DISABLED_RULE=partly-invisible").rules(),
            VisibilityRules{.partly_invisible = false});
  EXPECT_EQ(read("TIDELINE_FEED_DISABLED_RULE=audience").rules(),
            VisibilityRules{.audience = false});
}

TEST(Settings, AreRefusedTogether) {
  read("TIDELINE_FEED_DISABLED_RULE=gravity\nTIDELINE_FEED_TIMELINE_LENGTH=0", 2);
  read("TIDELINE_FEED_TIMELINE_LENGTH=4097\nTIDELINE_FEED_TIMELINE_BYTES=1000", 2);
  read("TIDELINE_FEED_INSTANCE=Feed 1\nTIDELINE_FEED_LEASE_MS=10\nTIDELINE_FEED_CONTENT_BYTES=-1",
       3);
}

TEST(Settings, NameTheInstanceAndWhereItIs) {
  EXPECT_EQ(read("").instance, "feed-0");
  const std::string listening = "TIDELINE_HTTP_ADDRESS=10.0.0.7\nTIDELINE_HTTP_PORT=8080\n";
  EXPECT_EQ(read(listening).address, "10.0.0.7:8080");
  const Settings named =
      read(listening + "TIDELINE_FEED_ADDRESS=feed-1:80\nTIDELINE_FEED_INSTANCE=feed-1");
  EXPECT_EQ(named.address, "feed-1:80");
  EXPECT_EQ(named.instance, "feed-1");
}

TEST(Settings, WantAKeyWhereMessagesAreSentToBrowsers) {
  EXPECT_FALSE(read("TIDELINE_FEED_PUSH_KEY_FILE=/nowhere").vapid) << "nobody is to be asked";
  read("TIDELINE_FEED_PUSH_CONTACT=mailto:campus@example.edu", 1);
  read("TIDELINE_FEED_PUSH_REACH=nobody", 1);
  EXPECT_EQ(read("TIDELINE_FEED_PUSH_REACH=anybody").push_reach, push::Reach::Anybody);
  EXPECT_EQ(read("").push_reach, push::Reach::Public);
}

}  // namespace
}  // namespace tideline::feed
