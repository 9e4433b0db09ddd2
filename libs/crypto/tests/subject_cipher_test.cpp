#include "crypto/subject_cipher.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <string>
#include <thread>

namespace tideline::crypto {
namespace {

constexpr std::string_view kContext = "CommentAdded.text";

core::AccountId account(std::uint8_t number) {
  core::AccountId::Bytes bytes{};
  bytes.back() = number;
  return core::AccountId(bytes);
}

// The in-memory keys, counting questions and failing on demand.
class CountingKeys final : public SubjectKeys {
 public:
  core::Result<SubjectKey> get_or_create(const core::AccountId& subject) override {
    ++questions;
    if (down) return core::unavailable("down");
    return inner.get_or_create(subject);
  }
  core::Result<std::optional<SubjectKey>> find(const core::AccountId& subject) override {
    ++questions;
    if (down) return core::unavailable("down");
    return inner.find(subject);
  }
  core::Result<std::vector<std::optional<SubjectKey>>> find_many(
      std::span<const core::AccountId> subjects) override {
    ++questions;
    subjects_asked += subjects.size();
    if (down) return core::unavailable("down");
    auto found = inner.find_many(subjects);
    if (after_find) after_find();
    return found;
  }
  core::Status destroy(const core::AccountId& subject) override { return inner.destroy(subject); }

  InMemorySubjectKeys inner;
  std::atomic<int> questions = 0;
  std::atomic<std::size_t> subjects_asked = 0;
  std::atomic<bool> down = false;
  std::function<void()> after_find;
};

class FixedKeys final : public SubjectKeys {
 public:
  core::Result<SubjectKey> get_or_create(const core::AccountId&) override { return key(); }
  core::Result<std::optional<SubjectKey>> find(const core::AccountId&) override {
    return std::optional(key());
  }
  core::Result<std::vector<std::optional<SubjectKey>>> find_many(
      std::span<const core::AccountId> subjects) override {
    return std::vector<std::optional<SubjectKey>>(subjects.size(), key());
  }
  core::Status destroy(const core::AccountId&) override { return core::success(); }

 private:
  static SubjectKey key() {
    SubjectKey bytes;
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0x80});
    return bytes;
  }
};

class SubjectCipherTest : public testing::Test {
 protected:
  std::string seal(const core::AccountId& author, std::string_view text) {
    return *cipher.seal(author, text, kContext);
  }

  core::ManualClock clock{core::Timestamp(std::chrono::seconds(1'700'000'000))};
  CountingKeys keys;
  SubjectCipher cipher{keys, clock};
};

TEST_F(SubjectCipherTest, OpensATextOfTheFormatAsItWasFixed) {
  FixedKeys fixed;
  SubjectCipher other(fixed, clock);
  core::AccountId::Bytes bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const auto opened = other.open(
      core::AccountId(bytes),
      "1.QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXtnkHkTXQoDucPleENRjvOVYL6hGYJHjx9ASDSXaubomY", kContext);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(*opened, "Guten Tag, Wörld");
}

TEST_F(SubjectCipherTest, OpensWhatItSealed) {
  EXPECT_TRUE(
      rc::check("open(seal(text)) = text, and only for its author and context",
                [this](const std::string& text, std::uint8_t number, const std::string& context) {
                  const core::AccountId author = account(number);
                  const std::string sealed = *cipher.seal(author, text, context);
                  RC_ASSERT(sealed.starts_with("1."));
                  RC_ASSERT(**cipher.open(author, sealed, context) == text);
                  RC_ASSERT(!cipher.open(author, sealed, context + "x")->has_value());
                  RC_ASSERT(*cipher.seal(author, text, context) != sealed);
                }));
}

// As older events have it: nobody made a key for its author.
TEST_F(SubjectCipherTest, ATextThatWasNotSealedIsGivenBack) {
  const std::string sealed = seal(account(2), "sealed");
  const std::vector<SealedText> texts{{account(1), "0.1. in clear", kContext},
                                      {account(2), sealed, kContext},
                                      {account(1), "0.", kContext}};
  const auto opened = cipher.open_many(texts);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(*opened, (std::vector<std::optional<std::string>>{"1. in clear", "sealed", ""}));
}

TEST_F(SubjectCipherTest, EqualTextsOfAContextAreFoundByOneIndex) {
  const SubjectCipher one(keys, clock, {.indexed_by = AccountIds(AccountIds::Secret{1})});
  const SubjectCipher other(keys, clock, {.indexed_by = AccountIds(AccountIds::Secret{2})});
  EXPECT_TRUE(rc::check("index(a, c) = index(b, d) if and only if a = b and c = d",
                        [&](const std::string& a, const std::string& b, bool same_context) {
                          const std::string index = one.index(a, "c");
                          RC_ASSERT(index.size() == 26);
                          const std::string context = same_context ? "c" : "d";
                          RC_ASSERT((one.index(b, context) == index) == (a == b && same_context));
                          RC_ASSERT(other.index(a, "c") != index);
                        }));
}

TEST_F(SubjectCipherTest, ATextCannotBeMovedToAnotherAuthor) {
  FixedKeys fixed;
  SubjectCipher other(fixed, clock);
  const std::string sealed = *other.seal(account(1), "mine", kContext);
  EXPECT_EQ(*other.open(account(2), sealed, kContext), std::nullopt);
}

// As after a database was put back to a copy without the key: the author is given another one.
TEST_F(SubjectCipherTest, ATextUnderAKeyThatWasLostIsGone) {
  const std::string sealed = seal(account(1), "before");
  crypto::InMemorySubjectKeys others;
  SubjectCipher after(others, clock);
  ASSERT_TRUE(after.seal(account(1), "after", kContext).ok());
  EXPECT_EQ(*after.open(account(1), sealed, kContext), std::nullopt);
}

TEST_F(SubjectCipherTest, WhatIsNoSealedTextIsAnError) {
  for (const char* text : {"", "1.", "1.AAAA", "2.AAAA", "text"}) {
    const auto opened = cipher.open(account(2), text, kContext);
    ASSERT_TRUE(opened.ok()) << "nobody has a key for it";
    seal(account(1), "so that there is a key");
    EXPECT_EQ(cipher.open(account(1), text, kContext).error().code, core::ErrorCode::InvalidInput);
  }
}

TEST_F(SubjectCipherTest, EveryChangedLetterIsNoticed) {
  const std::string sealed = seal(account(1), "some text");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const auto opened = cipher.open(account(1), changed, kContext);
    EXPECT_FALSE(opened.ok() && opened->has_value()) << "letter " << i;
    const auto cut = cipher.open(account(1), sealed.substr(0, i), kContext);
    EXPECT_FALSE(cut.ok() && cut->has_value()) << "cut at " << i;
  }
}

TEST_F(SubjectCipherTest, ADestroyedKeyErasesTheTextForEver) {
  const std::string sealed = seal(account(1), "gone");
  const std::string kept = seal(account(2), "kept");
  ASSERT_TRUE(cipher.destroy(account(1)).ok());
  const auto opened = cipher.open(account(1), sealed, kContext);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(*opened, std::nullopt);
  EXPECT_EQ(**cipher.open(account(2), kept, kContext), "kept");

  const auto again = cipher.seal(account(1), "back", kContext);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, core::ErrorCode::Conflict);
  EXPECT_FALSE(again.error().retryable);
}

TEST_F(SubjectCipherTest, AnUnknownAuthorHasNoTexts) {
  const std::string sealed = seal(account(1), "text");
  EXPECT_EQ(*cipher.open(account(9), sealed, kContext), std::nullopt);
}

TEST_F(SubjectCipherTest, DestructionByAnotherProcessIsSeenAfterTheTtl) {
  const std::string sealed = seal(account(1), "gone");
  ASSERT_TRUE(keys.inner.destroy(account(1)).ok());
  clock.advance(std::chrono::seconds(29));
  EXPECT_EQ(**cipher.open(account(1), sealed, kContext), "gone");
  // Reading did not prolong the key's stay.
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(*cipher.open(account(1), sealed, kContext), std::nullopt);
}

TEST_F(SubjectCipherTest, AKeyReadBeforeItsDestructionIsNotRememberedAfterIt) {
  const std::string sealed = seal(account(1), "gone");
  clock.advance(std::chrono::minutes(1));
  keys.after_find = [&] { ASSERT_TRUE(cipher.destroy(account(1)).ok()); };
  EXPECT_EQ(**cipher.open(account(1), sealed, kContext), "gone");
  keys.after_find = nullptr;
  EXPECT_EQ(*cipher.open(account(1), sealed, kContext), std::nullopt);
}

TEST_F(SubjectCipherTest, APageAsksOnceForTheKeysThatAreMissing) {
  std::vector<std::string> sealed;
  std::vector<SealedText> page;
  for (std::uint8_t i = 0; i < 20; ++i) sealed.push_back(seal(account(i % 4), std::to_string(i)));
  for (std::uint8_t i = 0; i < 20; ++i) page.push_back({account(i % 4), sealed[i], kContext});
  ASSERT_TRUE(keys.inner.destroy(account(3)).ok());
  clock.advance(std::chrono::minutes(1));
  keys.questions = 0;

  const auto opened = cipher.open_many(page);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(keys.questions, 1);
  EXPECT_EQ(keys.subjects_asked, 4U);
  for (std::size_t i = 0; i < 20; ++i) {
    const bool erased = i % 4 == 3;
    EXPECT_EQ((*opened)[i], erased ? std::nullopt : std::optional(std::to_string(i)));
  }
  page.resize(3);
  EXPECT_TRUE(cipher.open_many(page).ok());
  EXPECT_EQ(keys.questions, 1) << "the keys are remembered";
  EXPECT_TRUE(cipher.open_many({})->empty());
}

TEST_F(SubjectCipherTest, PassesOnTheErrorsOfThePort) {
  const std::string sealed = seal(account(1), "text");
  clock.advance(std::chrono::minutes(1));
  keys.down = true;
  const auto opened = cipher.open(account(1), sealed, kContext);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(opened.error().retryable);
  EXPECT_FALSE(cipher.seal(account(1), "text", kContext).ok());
}

TEST_F(SubjectCipherTest, TheCacheIsBounded) {
  SubjectCipherOptions options;
  options.cached_keys_max = 2;
  SubjectCipher small(keys, clock, options);
  for (std::uint8_t i = 0; i < 3; ++i) ASSERT_TRUE(small.seal(account(i), "x", kContext).ok());
  keys.questions = 0;
  for (std::uint8_t i = 0; i < 3; ++i) ASSERT_TRUE(small.seal(account(i), "x", kContext).ok());
  EXPECT_GE(keys.questions, 1);
  options.cached_keys_max = 0;
  SubjectCipher none(keys, clock, options);
  ASSERT_TRUE(none.seal(account(1), "x", kContext).ok());
  keys.questions = 0;
  ASSERT_TRUE(none.seal(account(1), "x", kContext).ok());
  EXPECT_EQ(keys.questions, 1);
}

TEST_F(SubjectCipherTest, ThreadsShareOneCipher) {
  std::vector<std::jthread> threads;
  std::atomic<int> opened = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint8_t i = 0; i < 100; ++i) {
        const std::string text = std::to_string(thread) + "/" + std::to_string(i);
        const auto sealed = cipher.seal(account(i % 10), text, kContext);
        if (sealed.ok() && **cipher.open(account(i % 10), *sealed, kContext) == text) ++opened;
        if (i % 25 == 0) (void)cipher.destroy(account(100));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(opened, 400);
}

TEST(SubjectKeysTest, InMemoryKeysKeepThePortsPromises) {
  InMemorySubjectKeys keys;
  EXPECT_EQ(*keys.find(account(1)), std::nullopt);
  const SubjectKey first = *keys.get_or_create(account(1));
  EXPECT_EQ(*keys.get_or_create(account(1)), first);
  EXPECT_EQ(*keys.find(account(1)), first);
  EXPECT_NE(*keys.get_or_create(account(2)), first);
  ASSERT_TRUE(keys.destroy(account(1)).ok());
  ASSERT_TRUE(keys.destroy(account(1)).ok());
  ASSERT_TRUE(keys.destroy(account(3)).ok());
  EXPECT_EQ(*keys.find(account(1)), std::nullopt);
  EXPECT_FALSE(keys.get_or_create(account(1)).ok());
  EXPECT_FALSE(keys.get_or_create(account(3)).ok());
  const std::vector<core::AccountId> asked = {account(2), account(1), account(2), account(9)};
  const auto found = *keys.find_many(asked);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], found[2]);
  EXPECT_TRUE(found[0].has_value());
  EXPECT_EQ(found[1], std::nullopt);
  EXPECT_EQ(found[3], std::nullopt);
}

}  // namespace
}  // namespace tideline::crypto
