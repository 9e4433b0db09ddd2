// Several owners of one projection: they join, leave and die while events flow; and one that loses
// its database for a while.
#include <signal.h>

#include "child_runner.hpp"
#include "support/postgres_server.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;

// Kafka waits for a member that has died until its session is over (6 s), and again when it died in
// the middle of a rebalance.
constexpr auto kRebalanceDeadline = 120s;

// Appends to all logs until `condition` holds, no faster than `reader` reads.
bool append_until(CountedService& service, RunningProjection& reader,
                  const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kRebalanceDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    if (reader.runner().applied().wait_for(service.positions, 20ms)) service.append(120);
  }
  return true;
}

TEST(RunnerOwners, TwoAndThreeJoinLeaveAndDieWhileEventsFlow) {
  CountedService service;
  RunningRelay relay(service);
  const std::string group = "counted-" + service.name;
  const auto somebody_took_over = [&] {
    return [&service, before = service.generations()] { return service.generations() > before; };
  };
  RunningProjection stays(service, {.group = group});
  service.append(100);
  ASSERT_TRUE(stays.runner().applied().wait_for(service.positions, kRebalanceDeadline));

  ChildRunner second(service, {.group = group});
  ASSERT_TRUE(append_until(service, stays, somebody_took_over())) << "the second one got nothing";
  {
    auto third = std::make_unique<ChildRunner>(service, ChildOptions{.group = group});
    ASSERT_TRUE(append_until(service, stays, somebody_took_over())) << "the third one got nothing";
    third->send(SIGKILL);
    third->wait();
  }
  service.append(100);
  // What was the third one's is given to others when its session has run out.
  ASSERT_TRUE(stays.runner().applied().wait_for(service.positions, kRebalanceDeadline));
  second.send(SIGKILL);
  second.wait();
  auto leaves =
      std::make_unique<RunningProjection>(service, RunningProjection::Options{.group = group});
  ASSERT_TRUE(append_until(service, stays, [&] { return leaves->runner().status().applied > 0; }));
  service.append(100);
  ASSERT_TRUE(leaves->runner().applied().wait_for(service.positions, kRebalanceDeadline));
  leaves.reset();
  ChildRunner last(service, {.group = group});
  ASSERT_TRUE(append_until(service, stays, somebody_took_over()));
  service.append(100);
  last.tell_goal(service.positions);
  EXPECT_EQ(last.wait(), 0) << "the last one does not see all that was committed";
  ASSERT_TRUE(stays.runner().applied().wait_for(service.positions, kRebalanceDeadline));
  EXPECT_EQ(service.totals(), service.expected());
}

TEST(RunnerOwners, APartitionThatWasPausedFlowsAgainWhenItComesBack) {
  PublishedService service;
  RunningRelay relay(service);
  const ConsumerOptions options{.brokers = PublishedService::brokers(),
                                .services = {service.name},
                                .logs = kLogs,
                                .group = "paused-" + service.name,
                                .session_timeout = 6000ms};
  std::map<eventsourcing::SourcePartition, int> records;
  const auto poll = [&](KafkaRecordSource& source, std::set<core::LogIndex>& held) {
    const auto polled = source.poll(20ms);
    if (!polled) return;
    for (const auto& partition : polled->revoked) held.erase(partition.log);
    for (const auto& partition : polled->assigned) {
      held.insert(partition.log);
      ASSERT_TRUE(source.seek(partition, core::KafkaOffset(0)).ok());
    }
    for (const auto& record : polled->records) ++records[{service.name, record.event.log}];
  };
  KafkaRecordSource source(options);
  std::set<core::LogIndex> held;
  ASSERT_TRUE(eventually([&] {
    poll(source, held);
    return held.size() == kLogs;
  }));
  for (const core::LogIndex log : held) ASSERT_TRUE(source.pause({service.name, log}).ok());
  {
    KafkaRecordSource other(options);
    std::set<core::LogIndex> others;
    ASSERT_TRUE(eventually([&] {
      poll(source, held);
      poll(other, others);
      return others.size() == kLogs / 2;
    }));
  }
  ASSERT_TRUE(eventually([&] {
    poll(source, held);
    return held.size() == kLogs;
  }));
  records.clear();
  service.append(200);
  EXPECT_TRUE(eventually([&] {
    poll(source, held);
    return records.size() == kLogs;
  }));
}

// Passes on, and counts what is taken away.
class WatchedSource final : public eventsourcing::RecordSource {
 public:
  WatchedSource(std::unique_ptr<RecordSource> inner, std::atomic<int>& revoked)
      : inner_(std::move(inner)), revoked_(revoked) {}
  core::Result<eventsourcing::PollResult> poll(std::chrono::milliseconds timeout) override {
    auto polled = inner_->poll(timeout);
    if (polled) revoked_ += static_cast<int>(polled->revoked.size());
    return polled;
  }
  core::Status seek(const eventsourcing::SourcePartition& partition,
                    core::KafkaOffset offset) override {
    return inner_->seek(partition, offset);
  }
  core::Status pause(const eventsourcing::SourcePartition& partition) override {
    return inner_->pause(partition);
  }
  core::Status resume(const eventsourcing::SourcePartition& partition) override {
    return inner_->resume(partition);
  }
  core::Result<std::map<eventsourcing::SourcePartition, core::KafkaOffset>> end_offsets() override {
    return inner_->end_offsets();
  }

 private:
  std::unique_ptr<RecordSource> inner_;
  std::atomic<int>& revoked_;
};

TEST(RunnerOwners, ALongOutageOfPostgresCostsNeitherThePartitionsNorAnEvent) {
  constexpr auto kMaxPollInterval = 6000ms;
  CountedService service;
  auto relay = std::make_unique<RunningRelay>(service);
  service.append(200);
  Counted projection(service.name, 1h);
  std::atomic<int> revoked{0};
  auto source =
      std::make_unique<KafkaRecordSource>(ConsumerOptions{.brokers = PublishedService::brokers(),
                                                          .services = {service.name},
                                                          .logs = kLogs,
                                                          .group = "outage-" + service.name,
                                                          .session_timeout = 6000ms,
                                                          .max_poll_interval = kMaxPollInterval});
  projections::ProjectionRunner runner(
      projection,
      {service.database, std::make_unique<WatchedSource>(std::move(source), revoked), {}, {}},
      kLogs);
  const std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  ASSERT_TRUE(runner.applied().wait_for(service.positions, kDeadline));
  ASSERT_TRUE(eventually([&] { return runner.status().caught_up_once; }));
  service.append(30);
  ASSERT_TRUE(runner.in_memory().wait_for(service.positions, kDeadline)) << "and not flushed";
  test_support::PostgresServer::shared().kill();
  EXPECT_TRUE(eventually([&] {
    // A query that waits, so that there is something to write.
    runner.applied().wait_for(service.positions, 1ms);
    return runner.status().behind > kMaxPollInterval + 2s;
  }));
  EXPECT_NE(runner.status().last_problem, "");
  test_support::PostgresServer::shared().start();
  service.append(200);
  ASSERT_TRUE(runner.applied().wait_for(service.positions, kDeadline));
  EXPECT_EQ(service.totals(), service.expected());
  EXPECT_EQ(revoked, 0) << "it was thrown out of its group, for it did not poll";
  EXPECT_TRUE(eventually([&] { return runner.status().behind < 2s; }));
}

}  // namespace
}  // namespace tideline::kafka
