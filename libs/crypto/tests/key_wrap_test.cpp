#include "crypto/key_wrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "crypto/tests/temporary_folder.hpp"

namespace tideline::crypto {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr core::AccountId kAda(core::AccountId::Bytes{1});
constexpr core::AccountId kBen(core::AccountId::Bytes{2});
const std::string kFirst(64, 'a');
const std::string kSecond(64, 'b');

class FileKeyWrapTest : public ::testing::Test {
 protected:
  std::unique_ptr<FileKeyWrap> load() {
    auto loaded = FileKeyWrap::load(folder_.path());
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    return *std::move(loaded);
  }

  TemporaryFolder folder_;
  const SubjectKey key_ = new_subject_key();
};

TEST_F(FileKeyWrapTest, GivesBackWhatItWrapped) {
  folder_.write("1.key", kFirst + "\n");
  const auto wrap = load();
  const std::string stored = wrap->wrap(kAda, key_).value();
  EXPECT_EQ(wrap->unwrap(kAda, stored).value(), key_);
  EXPECT_THAT(stored, Not(HasSubstr(std::string(key_.begin(), key_.end()))));
  EXPECT_NE(wrap->wrap(kAda, key_).value(), stored) << "each time another nonce";
}

TEST_F(FileKeyWrapTest, IsBoundToTheSubject) {
  folder_.write("1.key", kFirst);
  const auto wrap = load();
  const auto stolen = wrap->unwrap(kBen, wrap->wrap(kAda, key_).value());
  ASSERT_FALSE(stolen.ok());
  EXPECT_EQ(stolen.error().code, core::ErrorCode::InvalidInput);
}

TEST_F(FileKeyWrapTest, ReadsKeysFromBeforeTheyWereWrapped) {
  folder_.write("1.key", kFirst);
  const auto wrap = load();
  const std::string before = NoKeyWrap().wrap(kAda, key_).value();
  EXPECT_EQ(wrap->unwrap(kAda, before).value(), key_);
  EXPECT_FALSE(wrap->is_current(before));
}

// A process that runs while another key is put there goes on, and so does one that starts then.
TEST_F(FileKeyWrapTest, WrapsByTheLastAndUnwrapsByAll) {
  folder_.write("1.key", kFirst);
  const auto runs = load();
  const std::string old_one = runs->wrap(kAda, key_).value();
  EXPECT_TRUE(runs->is_current(old_one));
  folder_.write("2.key", kSecond);
  const auto starts = load();
  const std::string new_one = starts->wrap(kAda, key_).value();
  EXPECT_TRUE(starts->is_current(new_one));
  EXPECT_FALSE(starts->is_current(old_one));
  EXPECT_EQ(starts->unwrap(kAda, old_one).value(), key_);
  EXPECT_EQ(runs->unwrap(kAda, new_one).value(), key_);
  std::filesystem::remove(folder_.path() / "1.key");
  const auto lost = load()->unwrap(kAda, old_one);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, core::ErrorCode::NotFound);
  EXPECT_THAT(lost.error().message, HasSubstr("key 1"));
}

TEST_F(FileKeyWrapTest, WantsKeys) {
  EXPECT_EQ(FileKeyWrap::load(folder_.path()).error().code, core::ErrorCode::NotFound);
  folder_.write("1.key", "too short");
  EXPECT_EQ(FileKeyWrap::load(folder_.path()).error().code, core::ErrorCode::InvalidInput);
}

TEST(NoKeyWrapTest, SaysThatAKeyIsWrapped) {
  TemporaryFolder folder;
  folder.write("1.key", kFirst);
  const auto wrapped =
      FileKeyWrap::load(folder.path()).value()->wrap(kAda, new_subject_key()).value();
  const auto refused = NoKeyWrap().unwrap(kAda, wrapped);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("TIDELINE_WRAPPING_KEYS"));
}

RC_GTEST_FIXTURE_PROP(FileKeyWrapTest, NoOtherBytesAreAKey, ()) {
  folder_.write("1.key", kFirst);
  const auto wrap = load();
  std::string stored = wrap->wrap(kAda, key_).value();
  const auto at = *rc::gen::inRange<std::size_t>(0, stored.size());
  stored[at] = static_cast<char>(stored[at] ^ static_cast<char>(1 << *rc::gen::inRange(0, 8)));
  const auto opened = wrap->unwrap(kAda, stored);
  RC_ASSERT(!opened.ok());
}

}  // namespace
}  // namespace tideline::crypto
