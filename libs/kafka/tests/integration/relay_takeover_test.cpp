// Relays that are processes of their own: one dies, one stands still while another takes over.
#include "relay_process.hpp"
#include "topic_expectations.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;

TEST(RelayProcess, DISABLED_Run) {
  const char* database_url = std::getenv(kDatabaseVariable);
  const char* brokers = std::getenv(kBrokersVariable);
  const char* service = std::getenv(kServiceVariable);
  if (database_url == nullptr || brokers == nullptr || service == nullptr) {
    GTEST_SKIP() << "runs only as the child of another case";
  }
  postgres::PooledDatabase database(postgres::testing::options_for(database_url));
  core::SystemClock clock;
  core::SystemRandom random;
  postgres::PostgresEventStore store(database, clock, random, {.service = service, .logs = kLogs});
  postgres::PostgresRelayCheckpoints checkpoints(database.options());
  RelayOptions options;
  options.brokers = brokers;
  options.service = service;
  options.batch_events = 50;
  options.checkpoint_interval = 20ms;
  options.claim_interval = 200ms;
  const auto log_line = [pid = getpid()](std::string_view level, const std::string& text) {
    std::fprintf(stderr, "relay process %d, %.*s: %s\n", pid, static_cast<int>(level.size()),
                 level.data(), text.c_str());
  };
  Relay({store, checkpoints, log_line}, options).run(std::stop_token());
}

std::uint64_t published(PublishedService& service) {
  const auto rows =
      service.database.query("SELECT sum(position)::bigint FROM relay_checkpoint", {});
  return rows.ok() ? static_cast<std::uint64_t>(rows->front().integer(0)) : 0;
}

// Appends until `done`.
void append_until(PublishedService& service, const std::function<bool()>& done) {
  ASSERT_TRUE(eventually([&] {
    service.append(100);
    return done();
  }));
}

void expect_no_hole_in_any_log(PublishedService& service) {
  auto topic = service.topic();
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_no_hole(topic[core::LogIndex(log)], service.log(log));
  }
}

TEST(RelayTakeover, OneThatIsKilledIsTakenOver) {
  PublishedService service;
  RelayProcess first(service);
  RelayProcess second(service);
  append_until(service, [&] { return published(service) > 200; });
  first.kill();
  service.append(500);
  ASSERT_TRUE(eventually([&] { return published(service) == service.appended; }));
  second.kill();
  RelayProcess third(service);
  service.append(500);
  ASSERT_TRUE(eventually([&] { return published(service) == service.appended; }));
  expect_no_hole_in_any_log(service);
}

// While the first stands still its connections are cut, as a firewall or a server's time limit
// would do, and another relay goes on.
TEST(RelayTakeover, OneThatWasFrozenWritesNothingWrongWhenItWakes) {
  PublishedService service;
  RelayProcess first(service);
  append_until(service, [&] { return published(service) > 200; });
  first.freeze();
  service.append(300);
  const auto cut = service.database.query(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
      " WHERE datname = current_database() AND application_name LIKE '% relay'",
      {});
  ASSERT_TRUE(cut.ok());
  ASSERT_EQ(cut->front().integer(0), 1);
  RelayProcess second(service);
  ASSERT_TRUE(eventually([&] { return published(service) == service.appended; }));
  service.append(300);
  first.wake();
  service.append(300);
  ASSERT_TRUE(eventually([&] { return published(service) == service.appended; }));
  // It is sound: it goes on where the other one stops.
  second.kill();
  service.append(300);
  ASSERT_TRUE(eventually([&] { return published(service) == service.appended; }));
  expect_no_hole_in_any_log(service);
}

}  // namespace
}  // namespace tideline::kafka
