#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "eventsourcing/projection_runner.hpp"
#include "kafka/gaps.hpp"
#include "kafka/producer.hpp"
#include "published_service.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;

// Counts and adds up the events of each stream, by deltas.
class Counted final : public eventsourcing::Projection {
 public:
  Counted(std::string source, std::chrono::milliseconds flush_interval)
      : source_(std::move(source)), flush_interval_(flush_interval) {}

  std::string_view name() const override { return "counted"; }
  std::vector<std::string> sources() const override { return {source_}; }
  eventsourcing::FlushPolicy flush_policy() const override { return {flush_interval_, 50}; }
  void load(eventsourcing::Transaction&) override { deltas_.clear(); }
  void apply(const eventsourcing::RecordedEvent& event) override {
    auto& [count, sum] = deltas_[event.stream.value()];
    ++count;
    sum += nlohmann::json::parse(event.data).at("n").get<std::int64_t>();
  }
  void flush(eventsourcing::Transaction& transaction) override {
    for (const auto& [stream, delta] : deltas_) {
      transaction.execute(
          "INSERT INTO counted AS c (stream, count, sum) VALUES ($1, $2, $3)"
          " ON CONFLICT (stream) DO UPDATE SET count = c.count + $2::bigint, sum = c.sum + "
          "$3::bigint",
          {stream, delta.first, delta.second});
    }
  }
  void flushed() override { deltas_.clear(); }

 private:
  const std::string source_;
  const std::chrono::milliseconds flush_interval_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> deltas_;
};

class RunningProjection {
 public:
  explicit RunningProjection(PublishedService& service, const std::string& group = "",
                             std::chrono::milliseconds flush_interval = 20ms)
      : projection_(service.name, flush_interval),
        gaps_(PublishedService::brokers()),
        runner_(
            projection_,
            {service.database,
             std::make_unique<KafkaRecordSource>(
                 ConsumerOptions{.brokers = PublishedService::brokers(),
                                 .services = {service.name},
                                 .logs = kLogs,
                                 .group = group,
                                 .client_id = "test",
                                 .batch_records = 100,
                                 .session_timeout = 6000ms}),
             [this](const auto& partition, auto position) { gaps_.report(partition, position); },
             [](std::string_view, const std::string& text) {
               std::fprintf(stderr, "runner: %s\n", text.c_str());
             }},
            kLogs, {.gap_report_interval = 500ms}),
        thread_([this](std::stop_token stop) { runner_.run(stop); }) {}

  eventsourcing::ProjectionRunner& runner() { return runner_; }

 private:
  Counted projection_;
  GapReporter gaps_;
  eventsourcing::ProjectionRunner runner_;
  std::jthread thread_;
};

struct CountedService : PublishedService {
  CountedService() {
    EXPECT_TRUE(database
                    .transact([](eventsourcing::Transaction& transaction) {
                      transaction.execute(
                          "CREATE TABLE counted (stream text PRIMARY KEY, count bigint NOT NULL, "
                          "sum bigint NOT NULL)");
                    })
                    .ok());
  }
  // Count and sum of what the projection has, over all streams.
  std::pair<std::int64_t, std::int64_t> totals() {
    const auto totals = database.read([](eventsourcing::Transaction& transaction) {
      const auto rows = transaction.execute(
          "SELECT coalesce(sum(count), 0)::bigint, coalesce(sum(sum), 0)::bigint FROM counted");
      return std::pair(rows.at(0).integer(0), rows.at(0).integer(1));
    });
    EXPECT_TRUE(totals.ok());
    return totals.ok() ? *totals : std::pair<std::int64_t, std::int64_t>{-1, -1};
  }
  std::pair<std::int64_t, std::int64_t> expected() const {
    const auto n = static_cast<std::int64_t>(appended);
    return {n, n * (n - 1) / 2};
  }
};

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
  auto first = std::make_unique<RunningProjection>(service, "counted-" + service.name);
  ASSERT_TRUE(first->runner().applied().wait_for(service.positions, kDeadline));
  RunningProjection second(service, "counted-" + service.name);
  service.append(400);
  ASSERT_TRUE(first->runner().applied().wait_for(service.positions, kDeadline));
  ASSERT_TRUE(second.runner().applied().wait_for(service.positions, kDeadline));
  EXPECT_EQ(service.totals(), service.expected());
  first.reset();
  service.append(200);
  ASSERT_TRUE(second.runner().applied().wait_for(service.positions, kDeadline));
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
  RunningProjection projection(service, "", 1h);
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
