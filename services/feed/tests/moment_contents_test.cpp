// What is remembered of moments and people: what it holds, and what takes it away.
#include "feed/contents/moment_contents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

MomentTexts moment_by(const core::AccountId& author, std::uint32_t edits = 0) {
  MomentTexts moment;
  moment.shown = "said";
  moment.edits = edits;
  moment.author = author;
  return moment;
}
TimelineEntry entry_of(core::MomentId id, const core::AccountId& author, std::uint32_t edits = 0) {
  TimelineEntry entry;
  entry.id = id;
  entry.author = author;
  entry.edits = edits;
  return entry;
}
read::MomentPublished published_by(const core::AccountId& author, const std::string& sealed) {
  read::MomentPublished event;
  event.id = kId;
  event.author = author;
  event.sealed_content = sealed;
  return event;
}
read::CommentAdded comment_by(const core::AccountId& author, core::CommentId id) {
  read::CommentAdded event;
  event.moment = kId;
  event.id = id;
  event.author = author;
  event.sealed_text = "word";
  return event;
}
people::Person named(std::uint8_t number, const std::string& name) {
  return {account(number), name, name, std::nullopt, false};
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
    const std::uint64_t key = 1 + numbers() % 3'000;
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
  RecentMap<std::uint64_t, int> map(std::size_t{64} * 20 * 1'000);
  const auto put = [&](std::uint64_t key) { map.put(key, std::make_shared<const int>(1), 10); };
  put(1);
  put(2);
  ASSERT_NE(map.find(1), nullptr);
  for (std::uint64_t key = 3; key < 100'000; ++key) {
    put(key);
    if (key % 50 == 0) {
      ASSERT_NE(map.find(1), nullptr) << key;
    }
  }
  EXPECT_EQ(map.find(2), nullptr);
  EXPECT_GT(map.size().entries, 10'000U) << "and no more of it than has to go";
}

TEST(RecentMap, HasNothingOfNobody) {
  RecentMap<std::uint64_t, int> map(1 << 20);
  map.put(0, std::make_shared<const int>(1), 10);
  EXPECT_EQ(map.find(0), nullptr);
  EXPECT_EQ(map.size().bytes, 0U);
}

class Contents : public ::testing::Test {
 protected:
  MomentContents::Moment find(core::MomentId id, std::uint32_t edits) {
    return contents.find(std::vector{entry_of(id, account(1), edits)})[0];
  }
  void delete_moment(core::MomentId id) { contents.after_use(read::MomentDeleted{id, account(1)}); }
  void close(const core::AccountId& author) { contents.after_use(read::AccountClosed{author}); }

  core::ManualClock clock{core::Timestamp(milliseconds(1'800'000'000'000))};
  MomentContents contents{kPlenty, clock};
};

TEST(MomentContentTest, HasWhatItWasMadeOf) {
  for (std::size_t size = 0; size < 20; ++size) {
    MomentTexts texts = moment_by(account(3), 7);
    texts.names_as_of = 9;
    texts.shown.assign(size, 's');
    texts.audience.assign(20 - size, 'a');
    for (std::uint8_t n = 0; n < size; ++n) texts.user_ids.push_back(account(n));
    const core::Timestamp good_until{milliseconds(1'800'000'000'000)};
    const auto content = MomentContent::of(texts, good_until);
    EXPECT_EQ(content->author(), account(3));
    EXPECT_EQ(content->edits(), 7U);
    EXPECT_EQ(content->names_as_of(), 9U);
    EXPECT_EQ(content->good_until(), good_until);
    EXPECT_EQ(content->shown(), texts.shown);
    EXPECT_EQ(content->audience(), texts.audience);
    EXPECT_TRUE(std::ranges::equal(content->user_ids(), texts.user_ids)) << size;
    EXPECT_GE(content->bytes(), 20 + 16 * size);
  }
}

TEST_F(Contents, AreOfOneText) {
  contents.put(kId, moment_by(account(1), 2));
  EXPECT_NE(find(kId, 2), nullptr);
  EXPECT_EQ(find(kId, 1), nullptr);
  EXPECT_EQ(find(kId, 3), nullptr);
  EXPECT_EQ(contents.counts().hits, 1U);
  EXPECT_EQ(contents.counts().misses, 2U);
}

TEST_F(Contents, AreGoneThroughInOrderWithoutThoseOfAnotherText) {
  std::vector<TimelineEntry> wanted;
  for (std::uint64_t n = 1; n <= 40; ++n) {
    wanted.push_back(entry_of(core::MomentId(n), account(1)));
    contents.put(core::MomentId(n), moment_by(account(1), n % 4 == 0 ? 1 : 0));
  }
  std::vector<std::size_t> seen;
  contents.find_each(wanted, [&](std::size_t i, const MomentContents::Moment& moment) {
    EXPECT_EQ(moment->edits(), 0U);
    seen.push_back(i);
  });
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if ((i + 1) % 4 != 0) expected.push_back(i);
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(contents.counts().hits + contents.counts().misses, 0U) << "who has shown them notes it";
}

TEST_F(Contents, AreFoundForAPageAtOnce) {
  for (std::uint8_t n = 1; n <= 40; n += 2) {
    contents.put(core::MomentId(n), moment_by(account(n)));
  }
  std::vector<TimelineEntry> wanted;
  for (std::uint8_t n = 1; n <= 40; ++n) wanted.push_back(entry_of(core::MomentId(n), account(n)));
  const auto found = contents.find(wanted);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i] != nullptr, i % 2 == 0);
    if (found[i]) {
      EXPECT_EQ(found[i]->author(), wanted[i].author);
    }
  }
  EXPECT_EQ(contents.counts().hits, 20U);
  EXPECT_EQ(contents.counts().misses, 20U);
}

TEST_F(Contents, HoldRowsOfWhatHasJustCome) {
  auto published = published_by(account(1), "sealed");
  published.lists.user_ids = {account(2)};
  published.images = {"hash"};
  contents.before_use(published);
  const auto first = contents.find_sealed(kId);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->row->sealed_content, "sealed");
  EXPECT_EQ(first->row->lists, published.lists);
  EXPECT_EQ(first->row->images, published.images);
  contents.before_use(read::MomentEdited{kId, account(1), 1, "edited", clock.now(), {}});
  contents.before_use(read::MomentEdited{kId, account(1), 2, "again", clock.now(), {}});
  const auto edited = contents.find_sealed(kId);
  EXPECT_TRUE(edited->row);
  EXPECT_EQ(edited->edits.at(1).sealed_content, "edited");
  EXPECT_EQ(edited->edits.at(2).sealed_content, "again");
  EXPECT_TRUE(first->edits.empty()) << "who has found it reads on";

  const core::MomentId old{78};
  contents.before_use(read::MomentEdited{old, account(2), 3, "of an older one", clock.now(), {}});
  EXPECT_FALSE(contents.find_sealed(old)->row);
  EXPECT_EQ(contents.find_sealed(old)->edits.size(), 1U);

  const std::vector<core::CommentId> comments{core::CommentId(5), core::CommentId(6)};
  for (const core::CommentId id : comments) {
    contents.before_use(comment_by(account(2), id));
  }
  EXPECT_EQ(contents.find_sealed_comments(comments).at(comments[1]).sealed_text, "word");
  contents.after_use(read::CommentDeleted{kId, comments[0], account(2), account(2)});
  EXPECT_EQ(contents.find_sealed_comments(comments).size(), 1U);

  delete_moment(kId);
  EXPECT_EQ(contents.find_sealed(kId), nullptr);
  close(account(2));
  EXPECT_EQ(contents.find_sealed(old), nullptr);
  EXPECT_TRUE(contents.find_sealed_comments(comments).empty());
  EXPECT_EQ(contents.counts().bytes, 0U);
}

TEST_F(Contents, EndWithTheirAge) {
  contents.put(kId, moment_by(account(1)));
  clock.advance(MomentContents::kAgeMin);
  EXPECT_NE(find(kId, 0), nullptr);
  clock.advance(MomentContents::kAgeMax - MomentContents::kAgeMin);
  EXPECT_EQ(find(kId, 0), nullptr) << "being read makes nothing younger";
}

TEST_F(Contents, OfOneBurstEndOneAfterTheOther) {
  constexpr std::uint32_t kMoments = 1'000;
  constexpr std::uint32_t kSteps = 5;
  for (std::uint32_t id = 1; id <= kMoments; ++id) {
    contents.put(core::MomentId(id), moment_by(account(1)));
  }
  const auto left = [&] {
    std::uint32_t count = 0;
    for (std::uint32_t id = 1; id <= kMoments; ++id) count += find(core::MomentId(id), 0) ? 1 : 0;
    return count;
  };
  clock.advance(MomentContents::kAgeMin);
  EXPECT_EQ(left(), kMoments);
  for (std::uint32_t step = 1; step <= kSteps; ++step) {
    clock.advance((MomentContents::kAgeMax - MomentContents::kAgeMin) / kSteps);
    EXPECT_NEAR(left(), kMoments * (kSteps - step) / kSteps, kMoments / 20);
  }
  EXPECT_EQ(left(), 0U);
}

TEST_F(Contents, AreDroppedByMomentAndByAuthor) {
  for (std::uint64_t id = 1; id <= 300; ++id) {
    contents.put(core::MomentId(id), moment_by(account(static_cast<std::uint8_t>(id % 3))));
  }
  delete_moment(core::MomentId(7));
  EXPECT_EQ(find(core::MomentId(7), 0), nullptr);
  close(account(2));
  EXPECT_EQ(find(core::MomentId(2), 0), nullptr);
  EXPECT_NE(find(core::MomentId(3), 0), nullptr);
  EXPECT_EQ(contents.counts().moments, 199U);
}

TEST_F(Contents, NameNobodyAsTheTableDoesNotAnyMore) {
  const auto before = contents.name_changes();
  contents.put_person(named(1, "Ada"), before);
  ASSERT_NE(contents.find_person(account(1)), nullptr);
  const std::vector<core::AccountId> changed{account(1)};
  contents.drop_names(changed);
  EXPECT_EQ(contents.find_person(account(1)), nullptr);
  contents.put_person(named(1, "Ada"), before);
  EXPECT_EQ(contents.find_person(account(1)), nullptr) << "read before the change";
  contents.put_person(named(1, "Ada L."), contents.name_changes());
  contents.put_person(named(2, "Bob"), contents.name_changes());
  EXPECT_EQ(contents.find_person(account(1))->user_id, R"("Ada L.")");
  contents.drop_names({});
  EXPECT_EQ(contents.find_person(account(2)), nullptr) << "perhaps anybody's has changed";
}

TEST_F(Contents, ShowNoNameOfBeforeItsChange) {
  const auto put_with_names_of = [&](std::uint64_t names_as_of) {
    MomentTexts moment = moment_by(account(1));
    moment.names_as_of = names_as_of;
    contents.put(kId, moment);
  };
  const auto before = contents.name_changes();
  put_with_names_of(before);
  const std::vector<core::AccountId> other{account(2)};
  const std::vector<core::AccountId> him{account(2), account(1)};
  contents.drop_names(other);
  EXPECT_NE(find(kId, 0), nullptr);
  contents.drop_names(him);
  EXPECT_EQ(find(kId, 0), nullptr);
  put_with_names_of(before);
  EXPECT_EQ(find(kId, 0), nullptr) << "read before the change";
  put_with_names_of(contents.name_changes());
  EXPECT_NE(find(kId, 0), nullptr);
  contents.drop_names({});
  EXPECT_EQ(find(kId, 0), nullptr);
}

TEST_F(Contents, AreNothingWithoutBytes) {
  MomentContents nothing(0, clock);
  nothing.before_use(published_by(account(1), "s"));
  nothing.put(kId, moment_by(account(1)));
  nothing.put_person(named(1, "Ada"), nothing.name_changes());
  const std::vector<TimelineEntry> wanted{entry_of(kId, account(1))};
  EXPECT_EQ(nothing.find(wanted)[0], nullptr);
  EXPECT_EQ(nothing.find_person(account(1)), nullptr);
  EXPECT_EQ(nothing.find_sealed(kId), nullptr);
  EXPECT_EQ(nothing.counts().bytes, 0U);
}

}  // namespace
}  // namespace tideline::feed
