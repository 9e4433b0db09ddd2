// Faults that only a broker inside the process can be made to have. Whatever it answers, a consumer
// that takes each position once and in order gets every event, without a gap report.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "kafka/consumer.hpp"
#include "kafka/relay.hpp"
#include "mock_kafka.hpp"

namespace tideline::kafka {
namespace {

using namespace std::chrono_literals;
using testing::MockKafka;

constexpr std::uint32_t kLogs = 2;
constexpr auto kDeadline = 60s;
const std::string kService = "mocked";

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// Reads from the one store or the other.
class SwitchedLog final : public eventsourcing::EventLog {
 public:
  explicit SwitchedLog(eventsourcing::EventLog& log) : log_(&log) {}
  void switch_to(eventsourcing::EventLog& log) { log_ = &log; }

  std::uint32_t logs() const override { return log_.load()->logs(); }
  core::Status read_ranges(std::span<const eventsourcing::LogRange> ranges,
                           const Visit& visit) override {
    return log_.load()->read_ranges(ranges, visit);
  }
  core::Result<core::LogPosition> head(core::LogIndex log) override {
    return log_.load()->head(log);
  }
  void wait_for_append(std::chrono::milliseconds timeout) override {
    log_.load()->wait_for_append(timeout);
  }

 private:
  std::atomic<eventsourcing::EventLog*> log_;
};

class RelayFaults : public ::testing::Test {
 protected:
  void start(std::vector<core::LogIndex> logs = {}) {
    RelayOptions options;
    options.logs = std::move(logs);
    options.brokers = kafka_.brokers();
    options.service = kService;
    options.batch_events = 10;  // many requests under way at once
    options.poll = 20ms;
    options.claim_interval = 50ms;
    options.ends_interval = 100ms;
    relay_ = std::make_unique<Relay>(RelayPorts{log_, checkpoints_,
                                                [](std::string_view, const std::string& text) {
                                                  std::fprintf(stderr, "relay: %s\n", text.c_str());
                                                }},
                                     options);
    thread_ = std::jthread([this](const std::stop_token& stop) { relay_->run(stop); });
  }

  void append(std::size_t count) { append(store_, count); }
  void append(eventsourcing::InMemoryEventStore& store, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const core::StreamId stream("counted-" + std::to_string(appended_ % 8));
      eventsourcing::NewEvent event;
      event.type = "Counted";
      event.data = R"({"n":)" + std::to_string(appended_++) + "}";
      eventsourcing::Append append;
      append.time = clock_.now();
      append.streams.push_back({stream, core::StreamVersion(versions_[stream]++), {event}});
      ASSERT_TRUE(store.append(std::move(append)).ok());
    }
  }

  // A load with pauses longer than the producer lingers, so that several requests are under way.
  void append_slowly(std::size_t count, std::size_t at_once = 10) {
    for (std::size_t i = 0; i < count; i += at_once) {
      append(at_once);
      std::this_thread::sleep_for(3ms);
    }
  }

  bool all_acknowledged() {
    return eventually([&] {
      for (const RelayLogStatus& log : relay_->status().logs) {
        if (!log.active || log.acknowledged != *store_.head(log.log)) return false;
      }
      return true;
    });
  }

  // From each partition's first record on.
  std::unique_ptr<KafkaRecordSource> source() {
    auto made = std::make_unique<KafkaRecordSource>(
        ConsumerOptions{.brokers = kafka_.brokers(), .services = {kService}, .logs = kLogs});
    const auto assigned = made->poll(0ms);
    EXPECT_TRUE(assigned.ok());
    for (const auto& partition : assigned->assigned) {
      EXPECT_TRUE(made->seek(partition, core::KafkaOffset(0)).ok());
    }
    return made;
  }

  // As they lie there, up to the newest event.
  std::vector<std::uint64_t> positions_in_partition(core::LogIndex log) {
    const auto records = source();
    std::vector<std::uint64_t> positions;
    const std::uint64_t newest = store_.head(log)->value();
    EXPECT_TRUE(eventually([&] {
      const auto polled = records->poll(50ms);
      for (std::size_t i = 0; polled.ok() && i < polled->records.size(); ++i) {
        const auto& event = polled->records[i].event;
        if (event.log == log) positions.push_back(event.position.value());
      }
      return !positions.empty() && positions.back() == newest;
    }));
    return positions;
  }

  // What a consumer takes that accepts each position once and in order, by log.
  void expect_that_a_consumer_gets_everything() {
    const auto records = source();
    std::map<core::LogIndex, std::uint64_t> taken;
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    const auto complete = [&] {
      for (std::uint32_t log = 0; log < kLogs; ++log) {
        if (taken[core::LogIndex(log)] < store_.head(core::LogIndex(log))->value()) return false;
      }
      return true;
    };
    while (!complete() && std::chrono::steady_clock::now() < deadline) {
      const auto polled = records->poll(50ms);
      if (!polled.ok()) continue;
      for (const auto& record : polled->records) {
        std::uint64_t& last = taken[record.event.log];
        if (record.event.position.value() != last + 1) continue;
        const auto held = store_.read_log(record.event.log, core::LogPosition(last), 1);
        ASSERT_EQ(record.event.id, held->front().id);
        ++last;
      }
    }
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      EXPECT_EQ(taken[core::LogIndex(log)], store_.head(core::LogIndex(log))->value())
          << "the partition of log " << log << " skips the position after that";
    }
  }

  core::SystemClock clock_;
  core::SystemRandom random_;
  eventsourcing::InMemoryEventStore store_{kService, kLogs, clock_, random_};
  SwitchedLog log_{store_};
  eventsourcing::InMemoryRelayTable table_;
  eventsourcing::InMemoryRelayCheckpoints checkpoints_{table_};
  MockKafka kafka_{kService, kLogs};
  std::map<core::StreamId, std::uint64_t> versions_;
  std::size_t appended_ = 0;
  eventsourcing::InMemoryEventStore restored_{kService, kLogs, clock_, random_};
  std::unique_ptr<Relay> relay_;
  std::jthread thread_;
};

// As where the leader falls silent with the first request, and another one is sent the second.
TEST_F(RelayFaults, NothingOvertakesTheFirstRecordOfAProducer) {
  start({core::LogIndex(0)});
  ASSERT_TRUE(all_acknowledged());  // nothing, as there is nothing
  kafka_.answer_after(30ms);
  kafka_.fail_produce({RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NO_ERROR,
                       RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  append_slowly(60, 1);
  ASSERT_TRUE(all_acknowledged());
  const auto positions = positions_in_partition(core::LogIndex(0));
  for (std::size_t i = 0; i < positions.size(); ++i) ASSERT_EQ(positions[i], i + 1);
}

TEST_F(RelayFaults, ARecordThatIsRefusedForGoodIsNotFollowedByTheNext) {
  start();
  append(100);
  ASSERT_TRUE(all_acknowledged());
  kafka_.answer_after(20ms);
  kafka_.fail_produce({RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                       RD_KAFKA_RESP_ERR_INVALID_RECORD});
  append_slowly(300);
  ASSERT_TRUE(all_acknowledged());
  EXPECT_GE(relay_->status().producer_restarts, 1U);
  expect_that_a_consumer_gets_everything();
}

TEST_F(RelayFaults, AnAnswerThatClaimsARepeatIsNotBelieved) {
  start();
  append(100);
  ASSERT_TRUE(all_acknowledged());
  kafka_.answer_after(20ms);
  kafka_.fail_produce({RD_KAFKA_RESP_ERR_DUPLICATE_SEQUENCE_NUMBER});
  append_slowly(300);
  ASSERT_TRUE(all_acknowledged());
  EXPECT_GE(relay_->status().producer_restarts, 1U);
  expect_that_a_consumer_gets_everything();
}

// The mock takes the second request although it has refused the first: the partition itself is out
// of order, and what is missing has to be published again.
TEST_F(RelayFaults, RequestsThatOvertakeEachOtherAreMended) {
  start();
  append(100);
  ASSERT_TRUE(all_acknowledged());
  kafka_.answer_after(30ms);
  kafka_.fail_produce({RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NO_ERROR,
                       RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  append_slowly(300);
  ASSERT_TRUE(all_acknowledged());
  expect_that_a_consumer_gets_everything();
}

TEST_F(RelayFaults, AnyMixtureOfAnswersLeavesNoHole) {
  const auto seed = std::random_device{}();
  std::fprintf(stderr, "seed %u\n", seed);
  std::mt19937 random(seed);
  const std::vector<rd_kafka_resp_err_t> answers = {
      RD_KAFKA_RESP_ERR_NO_ERROR,
      RD_KAFKA_RESP_ERR_NO_ERROR,
      RD_KAFKA_RESP_ERR_NO_ERROR,
      RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
      RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND,
      RD_KAFKA_RESP_ERR__TRANSPORT,
      RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
      RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID,
      RD_KAFKA_RESP_ERR_DUPLICATE_SEQUENCE_NUMBER,
      RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
  };
  start();
  for (int round = 0; round < 8; ++round) {
    kafka_.answer_after(std::chrono::milliseconds(random() % 30));
    std::vector<rd_kafka_resp_err_t> next;
    for (std::size_t i = random() % 6; i > 0; --i)
      next.push_back(answers[random() % answers.size()]);
    kafka_.fail_produce(next);
    append_slowly(20 + random() % 200);
    if (random() % 4 == 0) {
      kafka_.set_down();
      append(20);
      kafka_.set_up();
    }
  }
  kafka_.answer_after(0ms);
  ASSERT_TRUE(all_acknowledged()) << relay_->status().problem;
  EXPECT_EQ(relay_->status().fatal, "");
  expect_that_a_consumer_gets_everything();
}

TEST_F(RelayFaults, ARelayOfSomeLogsLeavesTheOthersAlone) {
  start({core::LogIndex(1)});
  append(100);
  ASSERT_TRUE(all_acknowledged());
  EXPECT_EQ(relay_->status().logs.size(), 1U);
  EXPECT_EQ(relay_->status().published, store_.head(core::LogIndex(1))->value());
  EXPECT_GT(store_.head(core::LogIndex(0))->value(), 0U);
  eventsourcing::InMemoryRelayCheckpoints another(table_);
  EXPECT_FALSE(*another.claim(core::LogIndex(1)));
  EXPECT_TRUE(*another.claim(core::LogIndex(0))) << "held by a relay that does not publish it";
}

// No connection breaks and no head falls: as when a standby that lacked the last events has taken
// over between two statements, and has been written to.
TEST_F(RelayFaults, AnotherDatabaseIsNoticedBeforeAnythingOfItIsPublished) {
  start();
  append(100);
  ASSERT_TRUE(all_acknowledged());
  versions_.clear();
  append(restored_, 300);
  log_.switch_to(restored_);
  ASSERT_TRUE(eventually([&] {
    const RelayStatus status = relay_->status();
    return std::none_of(status.logs.begin(), status.logs.end(),
                        [](const RelayLogStatus& log) { return log.active; });
  })) << "it is papered over";
  EXPECT_NE(relay_->status().fatal.find("another one than was published"), std::string::npos);
  EXPECT_EQ(relay_->status().published, 100U);
}

}  // namespace
}  // namespace tideline::kafka
