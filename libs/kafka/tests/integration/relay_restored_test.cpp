// Data folders that are put back to older copies: what Kafka lost is published again, what
// PostgreSQL lost is noticed. And gap reports, the other way to hear of a loss.
#include <array>
#include <condition_variable>
#include <mutex>

#include "kafka/gaps.hpp"
#include "topic_expectations.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;
using test_support::KafkaServer;
using test_support::PostgresServer;

void expect_no_hole_in_any_log(PublishedService& service) {
  auto topic = service.topic();
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_no_hole(topic[core::LogIndex(log)], service.log(log));
  }
}

std::size_t records_in(PublishedService& service) {
  std::size_t count = 0;
  for (const auto& [log, records] : service.topic()) count += records.size();
  return count;
}

// Stands still while it is closed, and with it the relay that reads from it.
class GatedLog final : public eventsourcing::EventLog {
 public:
  explicit GatedLog(eventsourcing::EventLog& real) : real_(real) {}

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = false;
    }
    opened_.notify_all();
  }

  std::uint32_t logs() const override { return real_.logs(); }
  core::Status read_ranges(std::span<const eventsourcing::LogRange> ranges,
                           const Visit& visit) override {
    pass();
    return real_.read_ranges(ranges, visit);
  }
  core::Result<core::LogPosition> head(core::LogIndex log) override {
    pass();
    return real_.head(log);
  }
  core::Result<std::vector<core::LogPosition>> heads() override {
    pass();
    return real_.heads();
  }
  void wait_for_append(std::chrono::milliseconds timeout) override {
    pass();
    real_.wait_for_append(timeout);
    pass();
  }

 private:
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return !closed_; });
  }

  eventsourcing::EventLog& real_;
  std::mutex mutex_;
  std::condition_variable opened_;
  bool closed_ = false;
};

TEST(RelayRestored, ARunningRelayMendsABrokerThatCameBackWithLess) {
  PublishedService service;
  service.append(300);
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  KafkaServer::shared().save();
  service.append(300);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));

  // Nothing is appended: only a look at the topic can tell.
  const std::uint64_t restarts = relay.status().producer_restarts;
  KafkaServer::shared().put_back();
  KafkaServer::shared().start();
  ASSERT_TRUE(eventually([&] { return relay.status().producer_restarts > restarts; }))
      << "the loss is not noticed";
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  expect_no_hole_in_any_log(service);

  // Once more, with records under way, which the broker takes: a consumer passes over them, until
  // what comes before them has come again, and they too.
  KafkaServer::shared().put_back();
  service.append(300);
  KafkaServer::shared().start();
  service.append(300);
  ASSERT_TRUE(eventually([&] {
    auto topic = service.topic();
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      const Records events = service.log(log);
      if (taken_in_turn(topic[core::LogIndex(log)]) != events.size()) return false;
    }
    return true;
  })) << "a position is missing";
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  EXPECT_EQ(relay.status().fatal, "");
}

TEST(RelayRestored, ARelayThatStartsMendsABrokerThatCameBackWithLess) {
  PublishedService service;
  service.append(300);
  {
    RunningRelay relay(service);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
    KafkaServer::shared().save();
    service.append(300);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
  }
  KafkaServer::shared().put_back();
  KafkaServer::shared().start();
  ASSERT_LT(records_in(service), service.appended);
  service.append(100);
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  expect_no_hole_in_any_log(service);
  EXPECT_TRUE(relay.has_said("error", "has lost what was published"));
}

TEST(RelayRestored, ADatabaseThatCameBackWithLessIsNoticedByARunningRelay) {
  PublishedService service;
  service.append(200);
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  PostgresServer::shared().save();
  service.append(200);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  PostgresServer::shared().put_back();
  PostgresServer::shared().start();
  ASSERT_TRUE(eventually([&] { return !relay.status().fatal.empty(); }))
      << "it is papered over: " << relay.status().problem;
  EXPECT_TRUE(relay.has_said("error", "PostgreSQL lost events"));
  relay.stop();
  EXPECT_EQ(records_in(service), service.appended) << "nothing more is published";
}

TEST(RelayRestored, ADatabaseThatCameBackWithLessIsNoticedAtTheStart) {
  PublishedService service;
  service.append(200);
  {
    RunningRelay relay(service);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
    PostgresServer::shared().save();
    service.append(200);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
  }
  PostgresServer::shared().put_back();
  PostgresServer::shared().start();
  RunningRelay relay(service);
  ASSERT_TRUE(eventually([&] { return !relay.status().fatal.empty(); }));
  EXPECT_TRUE(relay.has_said("error", "which the database does not have"));
}

// Before the relay looks again, other events stand at the positions that were lost.
TEST(RelayRestored, ADatabaseThatHasOtherEventsMeanwhileIsNoticed) {
  PublishedService service;
  GatedLog gate(service.store);
  service.append(200);
  RunningRelay relay(service, gate);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  PostgresServer::shared().save();
  service.append(100);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  const std::size_t before = records_in(service);
  gate.close();
  PostgresServer::shared().put_back();
  PostgresServer::shared().start();
  service.forget_what_is_lost();
  service.append(500);
  gate.open();
  const auto all_stopped = [&] {
    const RelayStatus status = relay.status();
    return !status.fatal.empty() &&
           std::none_of(status.logs.begin(), status.logs.end(),
                        [](const RelayLogStatus& log) { return log.active; });
  };
  EXPECT_TRUE(eventually(all_stopped)) << "it is papered over";
  EXPECT_TRUE(relay.has_said("error", "PostgreSQL lost events"));
  relay.stop();
  EXPECT_EQ(records_in(service), before) << "nothing of the other events is published";
}

// Readers that miss the same position report it at once, and again while they wait.
TEST(RelayRestored, AGapThatManyReportIsPublishedAgainOnce) {
  PublishedService service;
  service.append(200);
  RunningRelay relay(service);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  const std::uint32_t log = longest_log(service);
  const Records events = service.log(log);
  std::array<GapReporter, 3> readers{GapReporter(PublishedService::brokers()),
                                     GapReporter(PublishedService::brokers()),
                                     GapReporter(PublishedService::brokers())};
  const auto report = [&](std::uint32_t of_log, std::uint64_t position) {
    std::vector<std::jthread> at_once;
    for (GapReporter& reader : readers) {
      at_once.emplace_back([&] {
        reader.report({service.name, core::LogIndex(of_log)}, core::LogPosition(position));
      });
    }
  };
  const auto records = [&](std::uint32_t of_log) {
    return service.topic()[core::LogIndex(of_log)].size();
  };
  const std::size_t from_third = events.size() - 2;
  report(log, 3);
  ASSERT_TRUE(eventually([&] { return records(log) >= events.size() + from_third; }));
  report(log, 3);
  // Reports are taken in turn: when a gap of another log has been published, those before are done.
  const std::uint32_t other = (log + 1) % kLogs;
  report(other, 1);
  ASSERT_TRUE(eventually([&] { return records(other) >= 2 * service.log(other).size(); }));
  service.append(50);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  const std::size_t appended = service.log(log).size() - events.size();
  EXPECT_EQ(records(log), events.size() + from_third + appended);
  expect_no_hole(service.topic()[core::LogIndex(log)], service.log(log));
}

}  // namespace
}  // namespace tideline::kafka
