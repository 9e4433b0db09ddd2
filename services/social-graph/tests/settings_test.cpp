#include "social-graph/settings.hpp"

#include <gmock/gmock.h>

namespace tideline::social_graph {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Settings, HaveDefaults) {
  core::Config config("", nullptr);
  const Settings settings = Settings::read(config);
  EXPECT_EQ(settings.contact_limit, 5'000);
  EXPECT_EQ(settings.group_limits().private_members, 500);
  EXPECT_EQ(settings.group_limits().public_members, 5'000);
  EXPECT_EQ(settings.declined_for, std::chrono::days(30));
  EXPECT_THAT(config.mistakes(), IsEmpty());
}

TEST(Settings, ReportEveryMistakeAtOnce) {
  core::Config config(
      "TIDELINE_CONTACT_LIMIT=0\nTIDELINE_GROUP_MEMBER_LIMIT=501\n"
      "TIDELINE_PUBLIC_GROUP_MEMBER_LIMIT=5001\nTIDELINE_DECLINED_DAYS=-1\n",
      nullptr);
  (void)Settings::read(config);
  EXPECT_THAT(config.mistakes(),
              UnorderedElementsAre(HasSubstr("TIDELINE_CONTACT_LIMIT"),
                                   HasSubstr("TIDELINE_GROUP_MEMBER_LIMIT"),
                                   HasSubstr("TIDELINE_PUBLIC_GROUP_MEMBER_LIMIT"),
                                   HasSubstr("TIDELINE_DECLINED_DAYS")));
}

}  // namespace
}  // namespace tideline::social_graph
