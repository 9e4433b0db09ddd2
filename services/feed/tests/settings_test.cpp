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
}

}  // namespace
}  // namespace tideline::feed
