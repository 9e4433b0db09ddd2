#include "crypto/totp.hpp"

#include <gtest/gtest.h>

namespace tideline::crypto {
namespace {

// "12345678901234567890", the secret of RFC 6238, appendix B; its codes have eight digits, of which
// six are ours.
constexpr const char* kSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

core::Timestamp at(std::int64_t seconds) { return core::Timestamp(std::chrono::seconds(seconds)); }

TEST(Totp, KnowsTheCodesOfTheRfc) {
  EXPECT_EQ(totp_step(kSecret, "287082", at(59)), 1);
  EXPECT_EQ(totp_step(kSecret, "081804", at(1111111109)), 37037036);
  EXPECT_EQ(totp_step(kSecret, "050471", at(1111111111)), 37037037);
  EXPECT_EQ(totp_step(kSecret, "005924", at(1234567890)), 41152263);
  EXPECT_EQ(totp_step(kSecret, "279037", at(2000000000)), 66666666);
}

TEST(Totp, AllowsForAStepOfDelay) {
  EXPECT_EQ(totp_step(kSecret, "287082", at(59 + 30)), 1);
  EXPECT_EQ(totp_step(kSecret, "287082", at(59 - 30)), 1);
  EXPECT_FALSE(totp_step(kSecret, "287082", at(59 + 61)));
}

TEST(Totp, RefusesWhatIsNoCode) {
  for (const char* code : {"", "28708", "2870820", "28708a", "287083", "      "}) {
    EXPECT_FALSE(totp_step(kSecret, code, at(59))) << code;
  }
  EXPECT_FALSE(totp_step("no secret", "287082", at(59)));
}

TEST(Totp, DrawsSecretsThatAppsTake) {
  core::SystemRandom random;
  const std::string secret = new_totp_secret(random);
  EXPECT_TRUE(is_totp_secret(secret));
  EXPECT_NE(secret, new_totp_secret(random));
  EXPECT_FALSE(is_totp_secret(secret.substr(1)));
  EXPECT_EQ(totp_uri("ABC", "Tideline", "0042"),
            "otpauth://totp/Tideline:0042?secret=ABC&issuer=Tideline");
}

}  // namespace
}  // namespace tideline::crypto
