#include "crypto/account_ids.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <string>

#include "temporary_folder.hpp"

namespace tideline::crypto {
namespace {

AccountIds::Secret counting_secret() {
  AccountIds::Secret secret;
  std::iota(secret.begin(), secret.end(), std::uint8_t{0});
  return secret;
}

constexpr std::string_view kCountingHex =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

TEST(AccountIdsTest, IsKeyedBlake2bOf128Bits) {
  const AccountIds ids(counting_secret());
  EXPECT_EQ(ids.of("20190001").to_string(), "ythwakerkyre5vms564c6nrcz4");
  EXPECT_EQ(ids.of("007").to_string(), "vcs3rpxdj4ltkfifximlialvdy");
  EXPECT_EQ(ids.of("7").to_string(), "mpchwncz3txkb4vra2izpcmtmi");
}

TEST(AccountIdsTest, DependsOnTheSecret) {
  AccountIds::Secret other = counting_secret();
  other.back() ^= 1;
  EXPECT_NE(AccountIds(other).of("7"), AccountIds(counting_secret()).of("7"));
}

TEST(AccountIdsTest, TwoUsersNeverShareAnId) {
  const AccountIds ids(counting_secret());
  EXPECT_TRUE(rc::check("equal ids only for equal user_ids",
                        [&](const std::string& one, const std::string& other) {
                          RC_ASSERT((ids.of(one) == ids.of(other)) == (one == other));
                          RC_ASSERT(ids.of(one) != ids.of(one + "0"));
                          RC_ASSERT(ids.of(one) != ids.of("0" + one));
                        }));
}

TEST(AccountIdsTest, ReadsTheSecretFromAFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("secret", "\n " + std::string(kCountingHex) + "\n");
  const auto ids = AccountIds::load(path);
  ASSERT_TRUE(ids.ok());
  EXPECT_EQ(ids->of("7"), AccountIds(counting_secret()).of("7"));
}

TEST(AccountIdsTest, TakesCapitalHexadecimalToo) {
  const TemporaryFolder folder;
  std::string capitals(kCountingHex);
  for (char& letter : capitals) letter = static_cast<char>(std::toupper(letter));
  const auto ids = AccountIds::load(folder.write("secret", capitals));
  ASSERT_TRUE(ids.ok());
  EXPECT_EQ(ids->of("7"), AccountIds(counting_secret()).of("7"));
}

TEST(AccountIdsTest, RefusesWhatIsNoSecret) {
  const TemporaryFolder folder;
  const std::string hex(kCountingHex);
  for (const std::string& text :
       {std::string(), hex.substr(2), hex + "20", "x" + hex.substr(1),
        hex.substr(0, 32) + "\n" + hex.substr(32), std::string(100'000, 'a')}) {
    const auto ids = AccountIds::load(folder.write("secret", text));
    ASSERT_FALSE(ids.ok()) << text.substr(0, 80);
    EXPECT_EQ(ids.error().code, core::ErrorCode::InvalidInput);
  }
  const auto missing = AccountIds::load(folder.path() / "missing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, core::ErrorCode::NotFound);
}

}  // namespace
}  // namespace tideline::crypto
