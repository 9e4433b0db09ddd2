// The producer alone, before a mock broker that refuses.
#include "kafka/producer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "mock_kafka.hpp"

namespace tideline::kafka {
namespace {

using namespace std::chrono_literals;
using testing::MockKafka;

constexpr auto kDeadline = 60s;

eventsourcing::RecordedEvent large_event(std::uint64_t position) {
  eventsourcing::RecordedEvent event;
  event.id = "0190a8f2-7c7e-7000-8000-000000000001";
  event.source = "mocked";
  event.type = "Counted";
  event.stream = core::StreamId("counted");
  event.version = core::StreamVersion(position);
  event.log = core::LogIndex(0);
  event.position = core::LogPosition(position);
  event.data = "\"" + std::string(300'000, 'x') + "\"";
  return event;
}

// The one that polls seldom must not find the partition with a hole: the client itself stops. All
// that it has under way at once is refused, and more waits behind that.
TEST(LogProducer, NothingFollowsARecordThatIsRefusedForGood) {
  constexpr std::size_t kUnderWayMax = 5;
  constexpr std::uint64_t kRecords = 40;
  MockKafka kafka("mocked", 1);
  kafka.answer_after(20ms);
  kafka.fail_produce(std::vector(kUnderWayMax, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE));
  std::vector<LogProducer::Report> reports;
  LogProducer producer(kafka.brokers(), "test", events_topic("mocked"),
                       [&](const LogProducer::Report& report) { reports.push_back(report); });
  for (std::uint64_t position = 1; position <= kRecords; ++position) {
    ASSERT_TRUE(producer.produce(large_event(position)).value());
  }
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (reports.size() < kRecords && producer.fatal().empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "neither refused nor taken";
    producer.poll(10ms);
  }
  EXPECT_NE(producer.fatal(), "") << "it goes on behind a record that was refused";
  EXPECT_TRUE(std::none_of(reports.begin(), reports.end(), [](const LogProducer::Report& report) {
    return report.error.empty();
  })) << "a later record lies in the partition";
}

}  // namespace
}  // namespace tideline::kafka
