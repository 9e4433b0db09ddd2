// Uploads in pieces on a real PostgreSQL: read from anywhere, in one space with all others, swept
// and erased with their pieces.
#include "uploads/large_content_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <vector>

#include "postgres/connections/database.hpp"
#include "uploads/tests/integration/upload_database.hpp"

namespace tideline::uploads {
namespace {

using sql::Transaction;

const core::AccountId kAda({1});
const core::AccountId kBob({2});
constexpr const char* kNothing = "SELECT NULL::uuid, NULL::text WHERE false";

std::string bytes_of(std::size_t size, std::uint32_t seed) {
  std::string bytes;
  bytes.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>((i * 2654435761U + seed) >> 13));
  }
  return bytes;
}

class LargeContentStoreTest : public ::testing::Test {
 protected:
  LargeContentStoreTest() : database(uploads::testing::upload_database()) {}

  void execute(const std::string& sql, const sql::Params& params = {}) {
    const auto done =
        database.transact([&](Transaction& transaction) { transaction.execute(sql, params); });
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  std::int64_t pieces() {
    return *database.read([](Transaction& transaction) {
      return transaction.execute("SELECT count(*) FROM upload_piece").at(0).integer(0);
    });
  }
  bool put(const core::AccountId& owner, const std::string& bytes) {
    const auto stored = store.put(owner, hash_of(bytes), "application/pdf", bytes);
    EXPECT_TRUE(stored.ok()) << (stored.ok() ? "" : stored.error().message);
    return stored.ok() && *stored;
  }
  // From `offset` to the end.
  std::string read(const core::AccountId& owner, const std::string& hash, std::uint64_t offset) {
    std::string all;
    for (;;) {
      const auto piece = store.read(owner, hash, offset + all.size());
      EXPECT_TRUE(piece.ok());
      if (!piece.ok() || piece->empty() || all.size() > 10'000'000) return all;
      EXPECT_LE(piece->size(), kPieceBytes);
      all += *piece;
    }
  }

  postgres::PooledDatabase database;
  TableLargeContentStore store{database, 3'000'000};
  TableContentStore small{database, 3'000'000};
};

TEST_F(LargeContentStoreTest, BytesComeBackFromAnyOffset) {
  for (const std::size_t size :
       {std::size_t{1}, kPieceBytes - 1, kPieceBytes, kPieceBytes + 1, 3 * kPieceBytes + 77}) {
    const std::string bytes = bytes_of(size, static_cast<std::uint32_t>(size));
    const std::string hash = hash_of(bytes);
    ASSERT_TRUE(put(kAda, bytes));
    const auto found = store.find(kAda, hash);
    ASSERT_TRUE(found.ok() && *found);
    EXPECT_EQ((*found)->media_type, "application/pdf");
    EXPECT_EQ((*found)->size, static_cast<std::int64_t>(size));
    for (const std::size_t offset : {std::size_t{0}, size / 2, size - 1, kPieceBytes, size}) {
      EXPECT_TRUE(read(kAda, hash, offset) == bytes.substr(std::min(offset, size)))
          << size << " from " << offset;
    }
    EXPECT_FALSE(store.find(kBob, hash)->has_value()) << "a hash is no right";
    EXPECT_EQ(read(kBob, hash, 0), "");
    execute("DELETE FROM large_upload");
  }
}

TEST_F(LargeContentStoreTest, TheSameTwiceIsOneUploadAlsoAtOnce) {
  const std::string bytes = bytes_of(1'000'000, 1);
  std::vector<std::future<bool>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::async(std::launch::async, [&] { return put(kAda, bytes); }));
  }
  for (auto& one : all) EXPECT_TRUE(one.get());
  EXPECT_EQ(pieces(), 4);
  EXPECT_TRUE(read(kAda, hash_of(bytes), 0) == bytes);
}

TEST_F(LargeContentStoreTest, BothStoresShareTheSpaceOfAnOwner) {
  ASSERT_TRUE(put(kAda, bytes_of(2'000'000, 1)));
  EXPECT_FALSE(put(kAda, bytes_of(2'000'000, 2)));
  EXPECT_EQ(*small.put(kAda, {"text/plain", std::string(1'000'001, 'x')}), false);
  EXPECT_EQ(*small.put(kAda, {"text/plain", std::string(900'000, 'x')}), true);
  EXPECT_FALSE(put(kAda, bytes_of(200'000, 3)));
  EXPECT_TRUE(put(kAda, bytes_of(2'000'000, 1))) << "what is there takes no more";
  EXPECT_TRUE(put(kBob, bytes_of(2'000'000, 1)));
}

TEST_F(LargeContentStoreTest, ASweepTakesWhatNothingNamesWithItsPieces) {
  ASSERT_TRUE(put(kAda, bytes_of(600'000, 1)) && put(kAda, bytes_of(600'000, 2)) &&
              put(kAda, bytes_of(600'000, 3)));
  execute("CREATE TABLE reference (owner uuid, hash text)");
  execute("INSERT INTO reference VALUES ($1::uuid, $2)", {kAda, hash_of(bytes_of(600'000, 1))});
  const References references{"names", "SELECT owner, hash FROM reference"};
  execute("UPDATE large_upload SET held_at = held_at - interval '23 hours'");
  EXPECT_EQ(*sweep(database, references), 0);
  execute("UPDATE large_upload SET held_at = held_at - interval '2 hours'");
  ASSERT_TRUE(put(kAda, bytes_of(600'000, 2))) << "held for another day";
  EXPECT_EQ(*sweep(database, references), 1);
  EXPECT_EQ(pieces(), 6);
  EXPECT_EQ(read(kAda, hash_of(bytes_of(600'000, 3)), 0), "");
  EXPECT_EQ(read(kAda, hash_of(bytes_of(600'000, 1)), 0).size(), 600'000U);
}

TEST_F(LargeContentStoreTest, AClosedAccountsAreGoneAtOnceAndTheirPiecesWithThem) {
  const std::string bytes = bytes_of(600'000, 1);
  ASSERT_TRUE(put(kAda, bytes) && put(kBob, bytes));
  execute("INSERT INTO person (account_id, closed) VALUES ($1::uuid, true)", {kAda});
  EXPECT_FALSE(store.find(kAda, hash_of(bytes))->has_value());
  EXPECT_EQ(read(kAda, hash_of(bytes), 0), "") << "also for who has begun to read";
  EXPECT_EQ(*sweep(database, {"names", kNothing}), 1);
  EXPECT_EQ(pieces(), 3);
  EXPECT_TRUE(read(kBob, hash_of(bytes), 0) == bytes);
}

TEST_F(LargeContentStoreTest, OnePieceIsReadOfOnePartition) {
  const auto plan = database.read([](Transaction& transaction) {
    std::string text;
    for (const auto& row : transaction.execute(
             "EXPLAIN SELECT bytes FROM upload_piece WHERE owner = $1::uuid AND hash = 'a'"
             " AND number = 3",
             {kAda})) {
      text += row.text(0) + "\n";
    }
    return text;
  });
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->find("Append"), std::string::npos) << *plan;
  EXPECT_NE(plan->find("upload_piece_"), std::string::npos) << *plan;
}

}  // namespace
}  // namespace tideline::uploads
