// Acknowledged appends outlive a crash of the server, and appends go on when it is back.
#include <gtest/gtest.h>

#include <thread>

#include "eventsourcing/testing/appends.hpp"
#include "fresh_database.hpp"
#include "postgres/store/event_store.hpp"

namespace tideline::postgres::testing {
namespace {

using eventsourcing::Appended;
using eventsourcing::testing::Appends;

TEST(ServerCrash, KeepsWhatWasAcknowledged) {
  test_support::PostgresServer server;
  const DatabaseOptions options = options_for(server.create_database("crash"));
  const MigrationSet base = base_migrations(2);
  ASSERT_TRUE(migrate(options, {&base, 1}).ok());
  core::SystemClock clock;
  core::SystemRandom random;
  PooledDatabase database(options);
  EventStoreOptions store_options;
  store_options.service = "feed";
  store_options.logs = 2;
  PostgresEventStore store(database, clock, random, store_options);

  std::atomic<bool> stop{false};
  std::atomic<int> acknowledged{0};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; !stop; ++i) {
        const std::string stream = std::to_string(writer) + "-" + std::to_string(i);
        const auto outcome = store.append(Appends(clock.now()).on(stream, 0, {"A"}).take());
        if (outcome.ok() && std::holds_alternative<Appended>(*outcome)) ++acknowledged;
      }
    });
  }
  const auto wait_for = [&](int count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (acknowledged < count && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_GE(acknowledged, count);
  };
  wait_for(50);
  server.kill();
  const int before = acknowledged;
  server.start();
  wait_for(before + 50);
  stop = true;
  for (std::thread& writer : writers) writer.join();

  const auto heads = store.heads().value();
  const auto rows = database.query("SELECT count(*), count(DISTINCT stream_id) FROM event", {});
  EXPECT_EQ(static_cast<std::uint64_t>(rows.value().front().integer(0)),
            heads[0].value() + heads[1].value());
  EXPECT_GE(rows.value().front().integer(1), acknowledged.load());
}

}  // namespace
}  // namespace tideline::postgres::testing
