// Values come back as they were put, or the whole file is refused.
#include "snapshots/value_stream.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include "crypto/tests/temporary_folder.hpp"

namespace tideline::snapshots {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kForm = 7;

class ValueStreamTest : public ::testing::Test {
 protected:
  template <class Put>
  void write(Put put) const {
    BlockWriter blocks(file, kForm, "where it is from");
    ValueWriter out(blocks);
    put(out);
    const auto finished = out.finish();
    ASSERT_TRUE(finished.ok()) << finished.error().message;
  }
  // What `take` makes of it; the error, if there is one.
  template <class Take>
  std::string read(Take take) const {
    auto blocks = BlockReader::open(file, kForm);
    if (!blocks) return blocks.error().message;
    EXPECT_EQ(blocks->head(), "where it is from");
    ValueReader in(*blocks);
    take(in);
    const auto whole = in.finish();
    return whole ? "" : whole.error().message;
  }
  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  void put(const std::string& text) const {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }

  crypto::TemporaryFolder folder;
  const fs::path file = folder.path() / "values-1.snapshot";
};

// Arrays lie over the ends of blocks, of every length around them.
TEST_F(ValueStreamTest, IsReadAsItWasWritten) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::vector<std::uint32_t>> arrays(random() % 6);
    for (auto& array : arrays) {
      array.resize(random() % 3 == 0 ? kBlockBytesMax / 4 - 4 + random() % 8
                                     : random() % 2'000'000);
      for (auto& number : array) number = static_cast<std::uint32_t>(random());
    }
    write([&](ValueWriter& out) {
      out.put(std::uint8_t{3});
      for (const auto& array : arrays) {
        out.put_all(array);
        out.put_text("between");
      }
      out.put(std::uint64_t{42});
    });
    const std::string error = read([&](ValueReader& in) {
      EXPECT_EQ(in.take<std::uint8_t>(), 3);
      std::vector<std::uint32_t> found;
      for (const auto& array : arrays) {
        in.take_all(found);
        EXPECT_TRUE(found == array) << found.size() << " of " << array.size();
        EXPECT_EQ(in.take_text(), "between");
      }
      EXPECT_EQ(in.take<std::uint64_t>(), 42U);
      EXPECT_FALSE(in.failed());
    });
    EXPECT_EQ(error, "");
  }
}

TEST_F(ValueStreamTest, NothingMayBeLeftOrMissing) {
  write([](ValueWriter& out) { out.put(std::uint32_t{1}); });
  EXPECT_NE(read([](ValueReader&) {}).find("more than was looked for"), std::string::npos);
  EXPECT_NE(read([](ValueReader& in) {
              in.take<std::uint32_t>();
              EXPECT_EQ(in.take<std::uint64_t>(), 0U);
              EXPECT_EQ(in.take<std::uint64_t>(), 0U) << "and it goes on with zeros";
            }).find("a value is missing"),
            std::string::npos);
  EXPECT_NE(read([](ValueReader& in) {
              in.take<std::uint32_t>();
              in.fail("not this");
              in.fail("nor that");
            }).find("not this"),
            std::string::npos);
}

// Whoever wrote it was wrong, and its checksums are right: no memory is taken for it.
TEST_F(ValueStreamTest, ACountAboveWhatThereIsIsNotBelieved) {
  for (const std::uint64_t count : {std::uint64_t{5}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    write([&](ValueWriter& out) {
      out.put(count);
      out.put(std::uint64_t{1});
      out.put(std::uint64_t{2});
    });
    std::vector<std::uint32_t> found{1, 2, 3};
    EXPECT_NE(read([&](ValueReader& in) { in.take_all(found); }).find("counts more"),
              std::string::npos);
    EXPECT_TRUE(found.empty());
  }
}

TEST_F(ValueStreamTest, WhatIsCutOrDamagedAnywhereIsNotBelieved) {
  write([](ValueWriter& out) {
    out.put_all(std::vector<std::uint64_t>{1, 2, 3});
    out.put_text("and a text");
  });
  const auto take = [](ValueReader& in) {
    std::vector<std::uint64_t> numbers;
    in.take_all(numbers);
    in.take_text();
  };
  const std::string whole = bytes();
  EXPECT_EQ(read(take), "");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    put(whole.substr(0, at));
    EXPECT_NE(read(take), "") << at << " of " << whole.size() << " bytes";
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      put(damaged);
      EXPECT_NE(read(take), "") << "bit " << bit << " of byte " << at;
    }
  }
}

TEST_F(ValueStreamTest, OfAnotherFormIsNotRead) {
  write([](ValueWriter& out) { out.put(std::uint64_t{1}); });
  const auto other = BlockReader::open(file, kForm + 1);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("another version"), std::string::npos);
}

}  // namespace
}  // namespace tideline::snapshots
