// Subject keys and the relay's checkpoints, on PostgreSQL and in memory by the same tests.
#include <gtest/gtest.h>

#include <future>

#include "crypto/key_wrap.hpp"
#include "crypto/tests/temporary_folder.hpp"
#include "fresh_database.hpp"
#include "postgres/store/relay_checkpoints.hpp"
#include "postgres/store/subject_keys.hpp"

namespace tideline::postgres::testing {
namespace {

using core::AccountId;
using core::ErrorCode;
using core::LogIndex;
using core::LogPosition;

struct PostgresKeys {
  DatabaseOptions options = fresh_database(1);
  PooledDatabase database{options};
  crypto::NoKeyWrap wrap;
  PostgresSubjectKeys keys{database, wrap};
};
struct WrappedPostgresKeys {
  crypto::TemporaryFolder folder;
  DatabaseOptions options = fresh_database(1);
  PooledDatabase database{options};
  std::unique_ptr<crypto::FileKeyWrap> wrap = wrap_of(folder);
  PostgresSubjectKeys keys{database, *wrap};

  static std::unique_ptr<crypto::FileKeyWrap> wrap_of(crypto::TemporaryFolder& folder) {
    folder.write("1.key", std::string(64, 'a'));
    return crypto::FileKeyWrap::load(folder.path()).value();
  }
};
struct InMemoryKeys {
  crypto::InMemorySubjectKeys keys;
};

template <class Backend>
class SubjectKeysTest : public ::testing::Test {
 protected:
  crypto::SubjectKeys& keys() { return backend_.keys; }
  Backend backend_;
  const AccountId ada_{AccountId::Bytes{1}};
  const AccountId bob_{AccountId::Bytes{2}};
};
using KeyBackends = ::testing::Types<PostgresKeys, WrappedPostgresKeys, InMemoryKeys>;
TYPED_TEST_SUITE(SubjectKeysTest, KeyBackends);

TYPED_TEST(SubjectKeysTest, AKeyIsMadeOnceAndStays) {
  EXPECT_FALSE(this->keys().find(this->ada_).value().has_value());
  const auto key = this->keys().get_or_create(this->ada_).value();
  EXPECT_EQ(this->keys().get_or_create(this->ada_).value(), key);
  EXPECT_EQ(*this->keys().find(this->ada_).value(), key);
  EXPECT_NE(this->keys().get_or_create(this->bob_).value(), key);
}

// Keys of before and of another wrapping key are wrapped anew; who is destroyed meanwhile stays so.
TEST(WrappedSubjectKeys, AreWrappedAnew) {
  WrappedPostgresKeys backend;
  crypto::NoKeyWrap none;
  PostgresSubjectKeys before(backend.database, none);
  const AccountId ada(AccountId::Bytes{1});
  const AccountId bob(AccountId::Bytes{2});
  const AccountId eve(AccountId::Bytes{3});
  const auto ada_key = before.get_or_create(ada).value();
  const auto bob_key = backend.keys.get_or_create(bob).value();
  ASSERT_TRUE(before.destroy(eve).ok());
  EXPECT_EQ(backend.keys.get_or_create(ada).value(), ada_key) << "in clear until then";

  const auto first = backend.keys.wrap_anew(std::nullopt).value();
  EXPECT_EQ(first.seen, 2u);
  EXPECT_EQ(first.changed, 1u);
  EXPECT_FALSE(before.find(ada).ok()) << "nothing of it lies in clear";
  EXPECT_EQ(*backend.keys.find(ada).value(), ada_key);

  backend.folder.write("2.key", std::string(64, 'b'));
  const auto another = crypto::FileKeyWrap::load(backend.folder.path()).value();
  PostgresSubjectKeys next(backend.database, *another);
  EXPECT_EQ(next.wrap_anew(std::nullopt).value().changed, 2u);
  EXPECT_EQ(next.wrap_anew(std::nullopt).value().changed, 0u);
  EXPECT_FALSE(next.wrap_anew(bob).value().last.has_value());
  std::filesystem::remove(backend.folder.path() / "1.key");
  EXPECT_EQ(*next.find(bob).value(), bob_key);
  EXPECT_EQ(*backend.keys.find(ada).value(), ada_key) << "a process of before reads the new key";
  EXPECT_FALSE(next.find(eve).value().has_value());
}

TYPED_TEST(SubjectKeysTest, AllWhoAskAtOnceGetTheSame) {
  std::vector<std::future<crypto::SubjectKey>> asked;
  for (int i = 0; i < 8; ++i) {
    asked.push_back(std::async(std::launch::async,
                               [&] { return this->keys().get_or_create(this->ada_).value(); }));
  }
  const auto key = asked[0].get();
  for (std::size_t i = 1; i < asked.size(); ++i) EXPECT_EQ(asked[i].get(), key);
}

TYPED_TEST(SubjectKeysTest, FindsManyInTheOrderAsked) {
  const auto key = this->keys().get_or_create(this->ada_).value();
  const std::vector<AccountId> wanted = {this->bob_, this->ada_, this->ada_};
  const auto found = this->keys().find_many(wanted).value();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[0].has_value());
  EXPECT_EQ(found[1], key);
  EXPECT_EQ(found[2], key);
  EXPECT_TRUE(this->keys().find_many({}).value().empty());
}

TYPED_TEST(SubjectKeysTest, ADestroyedKeyNeverComesBack) {
  ASSERT_TRUE(this->keys().get_or_create(this->ada_).ok());
  for (const AccountId& subject : {this->ada_, this->ada_, this->bob_}) {
    ASSERT_TRUE(this->keys().destroy(subject).ok());
    EXPECT_FALSE(this->keys().find(subject).value().has_value());
    const auto again = this->keys().get_or_create(subject);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code, ErrorCode::Conflict);
    EXPECT_FALSE(again.error().retryable);
  }
}

struct PostgresRelays {
  DatabaseOptions options = fresh_database(3);
  PostgresRelayCheckpoints one{options};
  PostgresRelayCheckpoints other{options};
};
struct InMemoryRelays {
  eventsourcing::InMemoryRelayTable table;
  eventsourcing::InMemoryRelayCheckpoints one{table};
  eventsourcing::InMemoryRelayCheckpoints other{table};
};

template <class Backend>
class RelayCheckpointsTest : public ::testing::Test {
 protected:
  Backend backend_;
  eventsourcing::RelayCheckpoints& one_ = backend_.one;
  eventsourcing::RelayCheckpoints& other_ = backend_.other;
};
using RelayBackends = ::testing::Types<PostgresRelays, InMemoryRelays>;
TYPED_TEST_SUITE(RelayCheckpointsTest, RelayBackends);

TYPED_TEST(RelayCheckpointsTest, OneHoldsALogUntilItGivesItUp) {
  EXPECT_TRUE(this->one_.claim(LogIndex(0)).value());
  EXPECT_TRUE(this->one_.claim(LogIndex(0)).value());
  EXPECT_FALSE(this->other_.claim(LogIndex(0)).value());
  EXPECT_TRUE(this->other_.claim(LogIndex(1)).value());
  this->other_.release(LogIndex(0));
  EXPECT_FALSE(this->other_.claim(LogIndex(0)).value());
  this->one_.release(LogIndex(0));
  EXPECT_TRUE(this->other_.claim(LogIndex(0)).value());
}

bool moves(eventsourcing::RelayCheckpoints& checkpoints, LogIndex log, std::uint64_t from,
           std::uint64_t to) {
  const eventsourcing::CheckpointMove move{log, LogPosition(from), LogPosition(to)};
  const auto moved = checkpoints.advance({&move, 1});
  return moved.ok() && moved->contains(log);
}

TYPED_TEST(RelayCheckpointsTest, MovesOnlyForItsHolderAndFromWhereItIs) {
  const LogIndex log(1);
  EXPECT_EQ(this->one_.load(log).value(), LogPosition(0));
  EXPECT_FALSE(moves(this->one_, log, 0, 5));
  ASSERT_TRUE(this->one_.claim(log).value());
  EXPECT_TRUE(moves(this->one_, log, 0, 5));
  EXPECT_FALSE(moves(this->one_, log, 0, 6));
  EXPECT_FALSE(moves(this->other_, log, 5, 6));
  EXPECT_EQ(this->other_.load(log).value(), LogPosition(5));
}

TYPED_TEST(RelayCheckpointsTest, MovesOfManyLogsThoseThatItMay) {
  for (const std::uint32_t log : {0U, 1U}) ASSERT_TRUE(this->one_.claim(LogIndex(log)).value());
  ASSERT_TRUE(moves(this->one_, LogIndex(1), 0, 3));
  const std::vector<eventsourcing::CheckpointMove> all{
      {LogIndex(0), LogPosition(0), LogPosition(7)},
      {LogIndex(1), LogPosition(2), LogPosition(8)},
      {LogIndex(2), LogPosition(0), LogPosition(9)}};
  EXPECT_EQ(this->one_.advance(all).value(), std::set{LogIndex(0)});
  EXPECT_EQ(this->one_.load(LogIndex(0)).value(), LogPosition(7));
  EXPECT_EQ(this->one_.load(LogIndex(1)).value(), LogPosition(3));
  EXPECT_EQ(this->one_.load(LogIndex(2)).value(), LogPosition(0));
}

TEST(PostgresRelayCheckpointsTest, AClaimIsLostWithItsConnection) {
  const DatabaseOptions options = fresh_database(1);
  PostgresRelayCheckpoints one(options);
  PostgresRelayCheckpoints other(options);
  const LogIndex log(0);
  ASSERT_TRUE(one.claim(log).value());
  ASSERT_FALSE(other.claim(log).value());
  PooledDatabase database(options);
  ASSERT_TRUE(database
                  .query("SELECT pg_terminate_backend(pid) FROM pg_locks"
                         " WHERE locktype = 'advisory' AND granted",
                         {})
                  .ok());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!other.claim(log).value()) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  EXPECT_FALSE(moves(one, log, 0, 1));
  EXPECT_FALSE(one.claim(log).value());
  EXPECT_TRUE(moves(other, log, 0, 1));
}

}  // namespace
}  // namespace tideline::postgres::testing
