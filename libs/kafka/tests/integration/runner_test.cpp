#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <memory>

#include "counted_projection.hpp"
#include "kafka/client.hpp"
#include "kafka/producer.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;

TEST(RunnerIntegration, AppliesEveryEventOnceOverAStop) {
  CountedService service;
  RunningRelay relay(service);
  service.append(300);
  {
    RunningProjection projection(service);
    ASSERT_TRUE(projection.runner().applied().wait_for(service.positions, kDeadline));
    EXPECT_EQ(service.totals(), service.expected());
    service.append(300);
    // Stops wherever it is.
  }
  service.append(300);
  RunningProjection projection(service);
  ASSERT_TRUE(projection.runner().applied().wait_for(service.positions, kDeadline));
  EXPECT_EQ(service.totals(), service.expected());
  EXPECT_TRUE(eventually([&] { return projection.runner().status().caught_up_once; }));
  EXPECT_TRUE(eventually([&] { return projection.runner().status().lag == 0; }));
}

TEST(RunnerIntegration, MembersOfAGroupShareThePartitionsAndHandThemOver) {
  CountedService service;
  RunningRelay relay(service);
  service.append(200);
  auto first = std::make_unique<RunningProjection>(
      service, RunningProjection::Options{.group = "counted-" + service.name});
  ASSERT_TRUE(first->runner().applied().wait_for(service.positions, kDeadline));
  RunningProjection second(service, {.group = "counted-" + service.name});
  service.append(400);
  ASSERT_TRUE(first->runner().applied().wait_for(service.positions, kDeadline));
  ASSERT_TRUE(second.runner().applied().wait_for(service.positions, kDeadline));
  EXPECT_EQ(service.totals(), service.expected());
  first.reset();
  service.append(200);
  ASSERT_TRUE(second.runner().applied().wait_for(service.positions, kDeadline));
  EXPECT_EQ(service.totals(), service.expected());
}

// By partition, as the tools of Kafka show it: records that the group has not read. Nothing was
// committed: all.
std::int64_t lag_of(const std::string& group, const std::string& topic) {
  Settings settings = reader_settings();
  settings.emplace_back("group.id", group);
  const Client client = make_consumer(make_conf(PublishedService::brokers(), "test-lag", settings));
  const PartitionList list(rd_kafka_topic_partition_list_new(kLogs));
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), static_cast<int>(log));
  }
  EXPECT_EQ(rd_kafka_committed(client.get(), list.get(), 5000), RD_KAFKA_RESP_ERR_NO_ERROR);
  const auto ends = query_ends(client.get(), topic, kLogs, 5000ms);
  EXPECT_TRUE(ends.ok());
  std::int64_t lag = 0;
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    const auto offset = std::max<std::int64_t>(0, list->elems[log].offset);
    lag += (*ends)[log] - offset;
  }
  rd_kafka_consumer_close(client.get());
  return lag;
}

TEST(RunnerIntegration, KafkasToolsSeeHowFarItIs) {
  CountedService service;
  RunningRelay relay(service);
  const std::string group = "counted-" + service.name;
  const std::string topic = events_topic(service.name);
  service.append(200);
  {
    RunningProjection projection(service, {.group = group});
    ASSERT_TRUE(projection.runner().applied().wait_for(service.positions, kDeadline));
    EXPECT_TRUE(eventually([&] { return lag_of(group, topic) == 0; }));
  }
  service.append(30);
  EXPECT_TRUE(eventually([&] { return lag_of(group, topic) == 30; })) << "which nobody reads";
  RunningProjection projection(service, {.group = group});
  EXPECT_TRUE(eventually([&] { return lag_of(group, topic) == 0; }));
  EXPECT_EQ(service.totals(), service.expected());
}

TEST(RunnerIntegration, AMissingRecordIsReportedAndPublishedAgain) {
  CountedService service;
  service.append(100);
  std::size_t delivered = 0;
  std::size_t put = 0;
  LogProducer producer(PublishedService::brokers(), "test", events_topic(service.name),
                       [&](const LogProducer::Report&) { ++delivered; });
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    for (const auto& event : service.log(log)) {
      if (event.position == core::LogPosition(3)) continue;  // lost on the way
      ASSERT_TRUE(producer.produce(event).ok());
      ++put;
    }
  }
  ASSERT_TRUE(eventually([&] {
    producer.poll(5ms);
    return delivered == put;
  }));
  RunningRelay relay(service);
  RunningProjection projection(service);
  ASSERT_TRUE(projection.runner().applied().wait_for(service.positions, kDeadline));
  EXPECT_EQ(service.totals(), service.expected());
}

TEST(RunnerIntegration, AQueryWithItsTokenSeesItsOwnWriteSoon) {
  CountedService service;
  RunningRelay relay(service);
  RunningProjection projection(service, {.flush_interval = 1h});
  ASSERT_TRUE(eventually([&] { return projection.runner().status().caught_up_once; }));
  std::vector<double> milliseconds;
  for (int i = 0; i < 20; ++i) {
    service.append(1);
    const auto before = std::chrono::steady_clock::now();
    ASSERT_TRUE(projection.runner().applied().wait_for(service.positions, kDeadline));
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before)
            .count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::fprintf(stderr, "append to committed read model: median %.1f ms\n", milliseconds[10]);
  EXPECT_LT(milliseconds[10], 5000) << "only the query that waits makes it flush";
}

}  // namespace
}  // namespace tideline::kafka
