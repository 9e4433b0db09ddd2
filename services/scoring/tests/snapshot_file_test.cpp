// A snapshot is read as it was written, or not at all.
#include "scoring/projections/snapshot/snapshot_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "crypto/tests/temporary_folder.hpp"
#include "scoring/projections/snapshot/snapshot_folder.hpp"
#include "scoring/tests/histories.hpp"

namespace tideline::scoring {
namespace {

namespace fs = std::filesystem;

const core::Timestamp kTaken = at("2026-03-30T10:00:00.123456Z");
const SnapshotOrigin kWhence{17, 42, "an id", kTaken, core::utc_day(kTaken)};

std::string bytes_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

core::AccountId account(std::uint32_t number) {
  core::AccountId::Bytes bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes.at(i) = static_cast<std::uint8_t>(number >> (8 * i));
  return core::AccountId(bytes);
}

PersonRow person(std::uint32_t number) {
  return PersonRow::of(account(number),
                       {std::int64_t{number} * 7 - 3, kTaken - std::chrono::seconds(number),
                        static_cast<std::uint8_t>(number % 4)});
}

// Adds up what it is shown, in a way in which the order counts.
class Sum final : public SnapshotVisitor {
 public:
  void people(std::span<const PersonRow> rows) override {
    for (const PersonRow& row : rows) {
      add(static_cast<std::int64_t>(std::hash<core::AccountId>{}(row.account)));
      add(row.points);
      add(row.reached_us_and_standing);
    }
  }
  void days(std::span<const DayRow> rows) override {
    for (const DayRow& row : rows) {
      for (const std::int64_t one :
           {std::int64_t{row.person}, std::int64_t{row.day}, row.points, row.reached_us})
        add(one);
    }
  }
  void counts(std::span<const CountRow> rows) override {
    for (const CountRow& row : rows) {
      for (const std::int64_t one : {std::int64_t{row.person}, std::int64_t{row.day},
                                     std::int64_t{row.reason}, std::int64_t{row.events}})
        add(one);
    }
  }
  void awards(std::span<const AwardsRow> rows) override {
    for (const AwardsRow& row : rows) {
      for (const std::int64_t one :
           {std::int64_t{row.day}, std::int64_t{row.reason}, row.events, row.points})
        add(one);
    }
  }
  void add(std::int64_t one) { value = value * 1'000'003 + static_cast<std::uint64_t>(one); }

  std::uint64_t value = 0;
};

class SnapshotFileTest : public ::testing::Test {
 protected:
  // So many people, each with a day and every second one with a counter, and one row of awards.
  std::uint64_t write(std::uint32_t people) const {
    SnapshotWriter writer(file, kWhence);
    Sum sum;
    for (std::uint32_t i = 0; i < people; ++i) writer.add(person(i));
    for (std::uint32_t i = 0; i < people; ++i) writer.add(DayRow{i, 20'000, i, -5});
    for (std::uint32_t i = 0; i < people; i += 2) writer.add(CountRow{i, 20'001, 1, i + 1});
    writer.add(AwardsRow{20'002, 3, 9, -9});
    const auto finished = writer.finish();
    EXPECT_TRUE(finished.ok()) << (finished.ok() ? "" : finished.error().message);
    return read().value();
  }
  core::Result<std::uint64_t> read() const {
    auto reader = SnapshotReader::open(file);
    if (!reader) return reader.error();
    EXPECT_EQ(reader->origin(), kWhence);
    Sum sum;
    if (const auto status = reader->read(sum); !status) return status.error();
    return sum.value;
  }
  void put(const std::string& bytes) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }

  crypto::TemporaryFolder folder;
  const fs::path file = folder.path() / "scores-1.snapshot";
};

TEST_F(SnapshotFileTest, IsReadAsItWasWritten) {
  for (const std::uint32_t people : {0U, 1U, 1000U, 200'000U}) {
    SCOPED_TRACE(people);
    const std::uint64_t found = write(people);
    Sum expected;
    // In the order of blocks: a full one takes along what there is of the others.
    if (people <= 1000) {
      std::vector<PersonRow> rows;
      for (std::uint32_t i = 0; i < people; ++i) rows.push_back(person(i));
      expected.people(rows);
      for (std::uint32_t i = 0; i < people; ++i)
        expected.days(std::vector{DayRow{i, 20'000, i, -5}});
      for (std::uint32_t i = 0; i < people; i += 2) {
        expected.counts(std::vector{CountRow{i, 20'001, 1, i + 1}});
      }
      expected.awards(std::vector{AwardsRow{20'002, 3, 9, -9}});
      EXPECT_EQ(found, expected.value);
    }
    EXPECT_EQ(SnapshotReader::open(file)->people(), people);
    EXPECT_EQ(SnapshotReader::open(file)->bytes(), fs::file_size(file));
  }
  const PersonScore score = person(3).score();
  EXPECT_EQ(score.points, 18);
  EXPECT_EQ(score.reached_at, kTaken - std::chrono::seconds(3));
  EXPECT_EQ(score.standing, 3);
}

TEST_F(SnapshotFileTest, WhatIsCutAnywhereIsNotBelieved) {
  write(3);
  const std::string whole = bytes_of(file);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    EXPECT_FALSE(read().ok()) << size << " of " << whole.size() << " bytes";
  }
  put(whole + whole.substr(whole.size() - 8));
  EXPECT_FALSE(read().ok()) << "something follows";
  put(whole);
  EXPECT_TRUE(read().ok());
}

TEST_F(SnapshotFileTest, WhatIsDamagedAnywhereIsNotBelieved) {
  write(3);
  const std::string whole = bytes_of(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    put(damaged);
    EXPECT_FALSE(read().ok()) << "byte " << at << " of " << whole.size();
  }
}

TEST_F(SnapshotFileTest, WordsAreNotBelievedInAnotherPlace) {
  constexpr std::size_t kWord = 8;
  write(3);
  const std::string whole = bytes_of(file);
  for (std::size_t one = 0; one < whole.size(); one += kWord) {
    for (std::size_t other = one + kWord; other < std::min(one + 9 * kWord, whole.size());
         other += kWord) {
      std::string swapped = whole;
      swapped.replace(one, kWord, whole, other, kWord).replace(other, kWord, whole, one, kWord);
      if (swapped == whole) continue;
      put(swapped);
      EXPECT_FALSE(read().ok()) << "words at " << one << " and " << other;
    }
  }
}

TEST_F(SnapshotFileTest, MorePeopleThanItHasRoomForAreNotBelieved) {
  write(3);
  const std::string whole = bytes_of(file);
  std::uint64_t form = 0;
  whole.copy(reinterpret_cast<char*>(&form), sizeof form, 8);
  const std::string head = snapshots::BlockReader::open(file, form)->head();
  snapshots::BlockWriter writer(file, form, head);
  ASSERT_TRUE(writer.finish({30'000'000, 30'000'000}).ok());
  const auto opened = SnapshotReader::open(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("shorter than it says"), std::string::npos)
      << opened.error().message;
}

TEST_F(SnapshotFileTest, BlocksAreNotBelievedInAnotherPlace) {
  write(200'000);
  const std::string whole = bytes_of(file);
  // Two blocks of people of the same length follow the first one.
  constexpr std::size_t kBlock = 3 * 8 + 65'536 * sizeof(PersonRow);
  std::uint64_t words = 0;
  whole.copy(reinterpret_cast<char*>(&words), sizeof words, 16);
  const std::size_t first = 3 * 8 + words * 8;
  std::string swapped = whole.substr(0, first) + whole.substr(first + kBlock, kBlock) +
                        whole.substr(first, kBlock) + whole.substr(first + 2 * kBlock);
  ASSERT_EQ(swapped.size(), whole.size());
  put(swapped);
  EXPECT_FALSE(read().ok());
}

TEST_F(SnapshotFileTest, ANameComesOnlyWithTheWholeFile) {
  {
    SnapshotWriter writer(file, kWhence);
    for (std::uint32_t i = 0; i < 100'000; ++i) writer.add(person(i));
    EXPECT_FALSE(fs::exists(file));
    EXPECT_TRUE(fs::exists(file.string() + ".part"));
  }
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(file.string() + ".part"));
}

TEST_F(SnapshotFileTest, WhatCannotBeWrittenIsSaid) {
  SnapshotWriter nowhere(folder.path() / "no" / "such.snapshot", kWhence);
  nowhere.add(person(1));
  EXPECT_FALSE(nowhere.finish().ok());
}

TEST(SnapshotFolderTest, KeepsTheNewestAndOnlySnapshots) {
  const crypto::TemporaryFolder place;
  const SnapshotFolder folder(place.path());
  EXPECT_TRUE(folder.files().empty());
  EXPECT_FALSE(folder.newest().has_value());
  for (const int seconds : {3, 1, 2}) {
    SnapshotWriter writer(folder.file_of(kTaken + std::chrono::seconds(seconds)), kWhence);
    ASSERT_TRUE(writer.finish().ok());
  }
  place.write("scores-00000000000000000009.snapshot.part", "half of one");
  place.write("scores-9.snapshot", "another name");
  place.write("notes", "something else");
  folder.forget_others(2);
  ASSERT_EQ(folder.files().size(), 2U);
  EXPECT_EQ(folder.files()[0], folder.file_of(kTaken + std::chrono::seconds(3)));
  EXPECT_EQ(folder.files()[1], folder.file_of(kTaken + std::chrono::seconds(2)));
  EXPECT_EQ(folder.newest()->taken_at, kTaken + std::chrono::seconds(3));
  EXPECT_EQ(folder.newest()->bytes, fs::file_size(folder.files()[0]));
  EXPECT_FALSE(fs::exists(place.path() / "scores-00000000000000000009.snapshot.part"));
  EXPECT_TRUE(fs::exists(place.path() / "notes"));
}

TEST(SnapshotFolderTest, OneWritesAtATime) {
  const crypto::TemporaryFolder place;
  const SnapshotFolder folder(place.path());
  {
    const auto mine = folder.lock();
    ASSERT_TRUE(mine.ok());
    EXPECT_FALSE(folder.lock().ok());
  }
  EXPECT_TRUE(folder.lock().ok());
  EXPECT_FALSE(SnapshotFolder(place.path() / "none").lock().ok());
}

TEST(SnapshotFolderTest, StatisticsAreReplacedAtOnce) {
  const crypto::TemporaryFolder place;
  const SnapshotFolder folder(place.path());
  EXPECT_FALSE(folder.statistics().has_value());
  EXPECT_FALSE(SnapshotFolder("").statistics().has_value());
  ASSERT_TRUE(folder.put_statistics("{\"members\":1}").ok());
  ASSERT_TRUE(folder.put_statistics("{}").ok());
  EXPECT_EQ(folder.statistics(), "{}");
  EXPECT_FALSE(SnapshotFolder(place.path() / "none").put_statistics("{}").ok());
}

}  // namespace
}  // namespace tideline::scoring
