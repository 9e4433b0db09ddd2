// Where commits wait for a replica, nothing is acknowledged, and nothing read on a new connection,
// that no replica has: also not what a server shows after a crash, committed and never sent.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "eventsourcing/testing/appends.hpp"
#include "fresh_database.hpp"
#include "killed_program.hpp"
#include "postgres/store/append_statements.hpp"
#include "postgres/store/event_store.hpp"

namespace tideline::postgres::testing {
namespace {

using eventsourcing::AlreadyDone;
using eventsourcing::Append;
using eventsourcing::testing::Appends;
using test_support::PostgresServer;

EventStoreOptions store_options() {
  EventStoreOptions options;
  options.service = "feed";
  options.logs = 2;
  options.append_deadline = std::chrono::seconds(1);
  options.resolve_deadline = std::chrono::milliseconds(60);
  return options;
}

// By connections that were there before, as the database does not take others meanwhile.
class Replication {
 public:
  explicit Replication(PostgresServer& server)
      : server_(server), session_(options_for(server.superuser_conninfo()), "test") {}

  // Returns once commits wait: the checkpointer has to read the setting too.
  void demand() {
    session_.execute_script("ALTER SYSTEM SET synchronous_standby_names = '*'");
    session_.execute_script("SELECT pg_reload_conf()");
    ASSERT_TRUE(eventually([&] {
      try {
        Session(options_for(server_.superuser_conninfo()), "probe");
        return false;
      } catch (const sql::TransactionFailed&) {
        return true;
      }
    }));
  }

  // Writes down what it is sent, and confirms it.
  void begin() {
    folder_ = std::filesystem::temp_directory_path() / ("tideline-wal-" + std::to_string(getpid()));
    std::filesystem::create_directory(*folder_);
    replica_.emplace(std::vector<std::string>{"/usr/bin/pg_receivewal", "--synchronous", "-D",
                                              *folder_, "-d", server_.superuser_conninfo()});
  }

  ~Replication() {
    replica_.reset();
    if (folder_) std::filesystem::remove_all(*folder_);
  }
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;

 private:
  PostgresServer& server_;
  Session session_;
  std::optional<std::filesystem::path> folder_;
  std::optional<KilledProgram> replica_;
};

class Replicas : public ::testing::Test {
 protected:
  Replicas() {
    const MigrationSet base = base_migrations(2);
    EXPECT_TRUE(migrate(options, {&base, 1}).ok());
  }

  Append append() const {
    Append append = Appends(clock.now()).on("s-1", 0, {"A"}).take();
    append.idempotency = eventsourcing::IdempotencyKey{"me", "POST /v1/x", "k", "hash"};
    append.result.body = "of the first";
    return append;
  }

  PostgresServer server;
  DatabaseOptions options = options_for(server.create_database("replicated"));
  core::SystemClock clock;
  core::SystemRandom random;
};

TEST_F(Replicas, WhatACrashShowsIsNotAcknowledgedBeforeAReplicaHasIt) {
  Replication replication(server);
  {
    PooledDatabase database(options);
    PostgresEventStore store(database, clock, random, store_options());
    ASSERT_TRUE(store.append(Appends(clock.now()).on("s-0", 0, {"A"}).take()).ok());
    replication.demand();
    const auto outcome = store.append(append());
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, core::ErrorCode::Timeout);
    server.kill();
  }
  server.start();

  PooledDatabase database(options);
  PostgresEventStore store(database, clock, random, store_options());
  EXPECT_FALSE(database.query("SELECT count(*) FROM event", {}).ok());
  EXPECT_FALSE(store.append(append()).ok());

  // The one before is known to the server alone; a superuser's session is one like all others.
  EXPECT_THROW(Replication another(server), sql::TransactionFailed);
  replication.begin();
  std::optional<core::Result<eventsourcing::AppendOutcome>> again;
  ASSERT_TRUE(eventually([&] { return again.emplace(store.append(append())).ok(); }));
  const auto* done = std::get_if<AlreadyDone>(&**again);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->result.body, "of the first");
}

TEST_F(Replicas, WhoWaitsForAReplicaIsNotEnded) {
  Replication replication(server);
  Session waiting(options, "waiting");
  Session other(options, "other");
  replication.demand();
  std::thread commit(
      [&] { waiting.execute("UPDATE relay_checkpoint SET position = 7 WHERE log = 0", {}); });
  const auto waits = [&] {
    return !other
                .execute("SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'",
                         {waiting.backend()})
                .empty();
  };
  EXPECT_TRUE(eventually(waits));
  const auto position = [&] {
    return other.execute("SELECT position FROM relay_checkpoint WHERE log = 0", {})
        .front()
        .integer(0);
  };
  end_backends(other, {waiting.backend()});
  EXPECT_TRUE(waits());
  EXPECT_EQ(position(), 0);
  replication.begin();
  commit.join();
  EXPECT_EQ(position(), 7);
}

}  // namespace
}  // namespace tideline::postgres::testing
