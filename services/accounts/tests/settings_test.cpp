#include "accounts/settings.hpp"

#include <gtest/gtest.h>

namespace tideline::accounts {
namespace {

constexpr const char* kNoEnvironment[] = {nullptr};

TEST(Settings, HaveDefaultsForAllButTheKeys) {
  core::Config config("TIDELINE_JWT_SIGNING_KEY=/k/k1.pem\nTIDELINE_JWT_PUBLIC_KEYS=/k/public\n",
                      kNoEnvironment);
  const Settings settings = Settings::read(config);
  EXPECT_TRUE(config.mistakes().empty());
  EXPECT_EQ(settings.signing_key, "/k/k1.pem");
  EXPECT_EQ(settings.access_token_lifetime, std::chrono::minutes(15));
  EXPECT_EQ(settings.session_lifetime, std::chrono::days(30));
}

TEST(Settings, ReportAllMistakesTogether) {
  core::Config config(
      "TIDELINE_OPERATORS=root\nTIDELINE_SESSION_DAYS=0\n"
      "TIDELINE_ATTEMPTS_PER_ACCOUNT=many\nTIDELINE_REGISTRATIONS_PER_SOURCE=0\n",
      kNoEnvironment);
  Settings::read(config);
  EXPECT_EQ(config.mistakes().size(), 6u);
}

}  // namespace
}  // namespace tideline::accounts
