#include "kafka/relay.hpp"

#include <gtest/gtest.h>

#include <set>

#include "topic_expectations.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;

// Claims as the real ones; `advance` stands still, as if the process died before each.
class StandingCheckpoints final : public eventsourcing::RelayCheckpoints {
 public:
  explicit StandingCheckpoints(const postgres::DatabaseOptions& options) : real_(options) {}
  core::Result<bool> claim(core::LogIndex log) override { return real_.claim(log); }
  void release(core::LogIndex log) override { real_.release(log); }
  core::Result<core::LogPosition> load(core::LogIndex log) override { return real_.load(log); }
  core::Result<std::set<core::LogIndex>> advance(
      std::span<const eventsourcing::CheckpointMove> moves) override {
    std::set<core::LogIndex> all;
    for (const auto& move : moves) all.insert(move.log);
    return all;
  }

 private:
  postgres::PostgresRelayCheckpoints real_;
};

TEST(RelayIntegration, PublishesEveryLogOnceAndInOrder) {
  PublishedService service;
  service.append(500);
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  service.append(200);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  relay.stop();
  auto topic = service.topic();
  postgres::PostgresRelayCheckpoints checkpoints(service.options);
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_once_and_in_order(topic[core::LogIndex(log)], service.log(log));
    const auto checkpoint = checkpoints.load(core::LogIndex(log));
    ASSERT_TRUE(checkpoint.ok());
    EXPECT_EQ(checkpoint->value(), service.log(log).size());
  }
}

TEST(RelayIntegration, GoesOnBehindWhatThePartitionHoldsWhateverTheCheckpointSays) {
  PublishedService service;
  service.append(300);
  {
    StandingCheckpoints checkpoints(service.options);
    RunningRelay relay(service, checkpoints);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
  }
  service.append(300);
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  auto topic = service.topic();
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_once_and_in_order(topic[core::LogIndex(log)], service.log(log));
  }
}

TEST(RelayIntegration, PublishesAgainWhatTheBrokerLost) {
  PublishedService service;
  service.append(200);
  const std::uint32_t log = longest_log(service);
  const Records events = service.log(log);
  put(service, {events.begin(), events.begin() + 5});
  {
    postgres::PostgresRelayCheckpoints checkpoints(service.options);
    ASSERT_TRUE(*checkpoints.claim(core::LogIndex(log)));
    const eventsourcing::CheckpointMove move{core::LogIndex(log), core::LogPosition(0),
                                             core::LogPosition(events.size())};
    ASSERT_TRUE(checkpoints.advance({&move, 1})->contains(move.log));
  }
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  expect_once_and_in_order(service.topic()[core::LogIndex(log)], events);
}

TEST(RelayIntegration, StopsWhenTheDatabaseLacksWhatKafkaHas) {
  PublishedService service;
  service.append(100);
  const std::uint32_t log = longest_log(service);
  Records events = service.log(log);
  eventsourcing::RecordedEvent beyond = events.back();
  beyond.position = core::LogPosition(events.size() + 1);
  put(service, {beyond});
  RunningRelay relay(service);
  ASSERT_TRUE(eventually([&] { return !relay.status().fatal.empty(); }));
  EXPECT_NE(relay.status().fatal.find("PostgreSQL lost events"), std::string::npos);
  EXPECT_FALSE(relay.status().logs[log].active);
  EXPECT_EQ(service.topic()[core::LogIndex(log)].size(), 1U) << "nothing more is published";
}

TEST(RelayIntegration, StopsWhenTheDatabaseHasAnotherEventInItsPlace) {
  PublishedService service;
  service.append(100);
  const std::uint32_t log = longest_log(service);
  eventsourcing::RecordedEvent other = service.log(log).front();
  other.id = "00000000-0000-7000-8000-000000000000";
  put(service, {other});
  RunningRelay relay(service);
  ASSERT_TRUE(eventually([&] { return !relay.status().fatal.empty(); }));
  EXPECT_NE(relay.status().fatal.find(other.id), std::string::npos);
}

TEST(RelayIntegration, OneRelayIsActiveAndAnotherTakesOver) {
  PublishedService service;
  service.append(100);
  const auto active = [](const RunningRelay& relay) {
    const RelayStatus status = relay.status();
    return std::count_if(status.logs.begin(), status.logs.end(),
                         [](const RelayLogStatus& log) { return log.active; });
  };
  RunningRelay first(service);
  ASSERT_TRUE(eventually([&] { return active(first) == kLogs; }));
  RunningRelay second(service);
  service.append(100);
  ASSERT_TRUE(first.has_published(service.positions, service.name));
  EXPECT_EQ(active(second), 0);
  first.stop();
  service.append(100);
  ASSERT_TRUE(second.has_published(service.positions, service.name));
  auto topic = service.topic();
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_once_and_in_order(topic[core::LogIndex(log)], service.log(log));
  }
}

TEST(RelayIntegration, SurvivesTheBrokersCrash) {
  PublishedService service;
  service.append(500);
  RunningRelay relay(service);
  ASSERT_TRUE(eventually([&] { return relay.status().published > 0; }));
  test_support::KafkaServer::shared().kill();
  service.append(500);
  test_support::KafkaServer::shared().start();
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  auto topic = service.topic();
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_no_hole(topic[core::LogIndex(log)], service.log(log));
  }
}

TEST(RelayIntegration, AnEventIsPublishedSoonAfterItsAppend) {
  PublishedService service;
  RunningRelay relay(service, 10s);
  KafkaRecordSource source(
      {.brokers = PublishedService::brokers(), .services = {service.name}, .logs = kLogs});
  const auto assigned = source.poll(0ms);
  ASSERT_TRUE(assigned.ok());
  for (const auto& partition : assigned->assigned) {
    ASSERT_TRUE(source.seek(partition, core::KafkaOffset(0)).ok());
  }
  std::vector<double> milliseconds;
  for (int i = 0; i < 30; ++i) {
    const auto before = std::chrono::steady_clock::now();
    service.append(1);
    bool came = false;
    while (!came && std::chrono::steady_clock::now() - before < kDeadline) {
      const auto polled = source.poll(100ms);
      came = polled.ok() && !polled->records.empty();
    }
    ASSERT_TRUE(came);
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before)
            .count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  RecordProperty("median_ms", std::to_string(milliseconds[15]));
  std::fprintf(stderr, "append to consumer: median %.1f ms, best %.1f ms\n", milliseconds[15],
               milliseconds[0]);
  EXPECT_LT(milliseconds[15], 5000) << "it waits for its poll instead of the append's signal";
  relay.ask_to_stop();
  service.append(1);
}

TEST(TopicsIntegration, AreMadeOnceAndAnotherPartitionCountIsAnError) {
  const std::string topic = events_topic(test_support::KafkaServer::shared().unused_service());
  const std::string brokers = PublishedService::brokers();
  EXPECT_TRUE(ensure_topics(brokers, {{.name = topic, .partitions = 3}}, 20s).ok());
  EXPECT_TRUE(ensure_topics(brokers, {{.name = topic, .partitions = 3}}, 20s).ok());
  const auto other = ensure_topics(brokers, {{.name = topic, .partitions = 4}}, 20s);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, core::ErrorCode::InvalidInput);
}

TEST(TopicsIntegration, BrokersThatAreAwayAreARetryableError) {
  const auto away = ensure_topics("127.0.0.1:1", {{.name = "tideline.nowhere"}}, 300ms);
  ASSERT_FALSE(away.ok());
  EXPECT_TRUE(away.error().retryable);
}

}  // namespace
}  // namespace tideline::kafka
