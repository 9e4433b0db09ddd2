// What is remembered of moments and people: what it holds, and what takes it away.
#include "feed/api/moment_contents.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tideline::feed {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kPlenty = std::size_t{1} << 24;
const core::MomentId kId{77};

core::AccountId account(std::uint8_t number) {
  core::AccountId::Bytes bytes{};
  bytes.fill(number);
  return core::AccountId(bytes);
}

MomentContents::Moment moment_by(const core::AccountId& author, std::uint32_t edits = 0) {
  return std::make_shared<const MomentContent>(MomentContent{author, edits, "said", "to all", {}});
}
MomentContents::Person named(const std::string& name) {
  return std::make_shared<const PersonContent>(PersonContent{name, name});
}

TEST(RecentMap, HoldsTheLastThatWasPutAndNoMoreThanItsBound) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 numbers(seed);
  constexpr std::size_t kBytesMax = 1 << 18;
  RecentMap<std::uint64_t, std::uint64_t> map(kBytesMax);
  std::map<std::uint64_t, std::uint64_t> last;
  std::size_t found = 0;
  for (int step = 0; step < 50'000; ++step) {
    const std::uint64_t key = numbers() % 3'000;
    const std::uint64_t what = numbers() % 10;
    if (what < 4) {
      map.put(key, std::make_shared<const std::uint64_t>(last[key] = numbers()), numbers() % 500);
    } else if (what == 4) {
      map.erase(key);
      last.erase(key);
    } else if (what == 5 && step % 100 == 0) {
      const auto goes = [](std::uint64_t k, std::uint64_t) { return k % 7 == 0; };
      map.erase_if(goes);
      std::erase_if(last, [&](const auto& entry) { return goes(entry.first, entry.second); });
    } else if (const auto held = map.find(key)) {
      ++found;
      ASSERT_TRUE(last.contains(key)) << "what was erased comes back";
      ASSERT_EQ(*held, last[key]);
    }
    ASSERT_LE(map.size().bytes, kBytesMax);
  }
  EXPECT_GT(found, 1'000U);
  map.erase_if([](std::uint64_t, std::uint64_t) { return true; });
  EXPECT_EQ(map.size().entries, 0U);
  EXPECT_EQ(map.size().bytes, 0U) << "whatever was counted was counted off";
}

TEST(RecentMap, KeepsWhatIsAskedForAndLetsGoOfTheRest) {
  RecentMap<std::uint64_t, int> map(std::size_t{64} * 2 * 1'000);
  const auto put = [&](std::uint64_t key) { map.put(key, std::make_shared<const int>(1), 10); };
  put(0);
  put(1);
  for (std::uint64_t key = 2; key < 100'000; ++key) {
    put(key);
    if (key % 50 == 0) {
      ASSERT_NE(map.find(0), nullptr) << key;
    }
  }
  EXPECT_EQ(map.find(1), nullptr);
}

class Contents : public ::testing::Test {
 protected:
  core::ManualClock clock{core::Timestamp(milliseconds(1'800'000'000'000))};
  MomentContents contents{kPlenty, clock};
};

TEST_F(Contents, AreOfOneText) {
  contents.put(kId, moment_by(account(1), 2));
  EXPECT_NE(contents.find(kId, 2), nullptr);
  EXPECT_EQ(contents.find(kId, 1), nullptr);
  EXPECT_EQ(contents.find(kId, 3), nullptr);
  EXPECT_EQ(contents.counts().hits, 1U);
  EXPECT_EQ(contents.counts().misses, 2U);
}

TEST_F(Contents, EndWithTheirAge) {
  contents.put(kId, moment_by(account(1)));
  clock.advance(MomentContents::kAgeMax - milliseconds(1));
  EXPECT_NE(contents.find(kId, 0), nullptr);
  clock.advance(milliseconds(1));
  EXPECT_EQ(contents.find(kId, 0), nullptr) << "being read makes nothing younger";
}

TEST_F(Contents, AreDroppedByMomentAndByAuthor) {
  for (std::uint64_t id = 1; id <= 300; ++id) {
    contents.put(core::MomentId(id), moment_by(account(static_cast<std::uint8_t>(id % 3))));
  }
  contents.drop(core::MomentId(7));
  EXPECT_EQ(contents.find(core::MomentId(7), 0), nullptr);
  contents.drop_author(account(2));
  EXPECT_EQ(contents.find(core::MomentId(2), 0), nullptr);
  EXPECT_NE(contents.find(core::MomentId(3), 0), nullptr);
  EXPECT_EQ(contents.counts().moments, 199U);
}

TEST_F(Contents, NameNobodyAsTheTableDoesNotAnyMore) {
  const auto before = contents.name_changes();
  contents.put_person(account(1), named("Ada"), before);
  ASSERT_NE(contents.find_person(account(1)), nullptr);
  const std::vector<core::AccountId> changed{account(1)};
  contents.drop_people(changed);
  EXPECT_EQ(contents.find_person(account(1)), nullptr);
  contents.put_person(account(1), named("Ada"), before);
  EXPECT_EQ(contents.find_person(account(1)), nullptr) << "read before the change";
  contents.put_person(account(1), named("Ada L."), contents.name_changes());
  contents.put_person(account(2), named("Bob"), contents.name_changes());
  EXPECT_EQ(contents.find_person(account(1))->person, "Ada L.");
  contents.drop_people({});
  EXPECT_EQ(contents.find_person(account(2)), nullptr) << "perhaps anybody's has changed";
}

TEST_F(Contents, AreNothingWithoutBytes) {
  MomentContents nothing(0, clock);
  nothing.put(kId, moment_by(account(1)));
  nothing.put_person(account(1), named("Ada"), nothing.name_changes());
  EXPECT_EQ(nothing.find(kId, 0), nullptr);
  EXPECT_EQ(nothing.find_person(account(1)), nullptr);
  EXPECT_EQ(nothing.counts().bytes, 0U);
}

}  // namespace
}  // namespace tideline::feed
