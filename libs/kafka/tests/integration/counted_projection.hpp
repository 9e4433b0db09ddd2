// A projection that can tell whether every event was applied once and in the order of its stream,
// and a runner that drives it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kafka/gaps.hpp"
#include "projections/runner/projection_runner.hpp"
#include "published_service.hpp"

namespace tideline::kafka::testing {

inline constexpr const char* kCountedTableSql =
    "CREATE TABLE counted (stream text PRIMARY KEY, count bigint NOT NULL, sum bigint NOT NULL,"
    " version bigint NOT NULL, disorder bigint NOT NULL)";

struct CountedTotals {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t disorder = 0;  // events that did not follow the one before them in their stream

  friend bool operator==(const CountedTotals&, const CountedTotals&) = default;
  friend std::ostream& operator<<(std::ostream& out, const CountedTotals& totals) {
    return out << totals.count << " events, sum " << totals.sum << ", " << totals.disorder
               << " out of order";
  }
};

inline CountedTotals read_totals(sql::Database& database) {
  const auto totals = database.read([](sql::Transaction& transaction) {
    const auto rows = transaction.execute(
        "SELECT coalesce(sum(count), 0)::bigint, coalesce(sum(sum), 0)::bigint,"
        " coalesce(sum(disorder), 0)::bigint FROM counted");
    return CountedTotals{rows.at(0).integer(0), rows.at(0).integer(1), rows.at(0).integer(2)};
  });
  EXPECT_TRUE(totals.ok()) << (totals.ok() ? "" : totals.error().message);
  return totals.ok() ? *totals : CountedTotals{-1, -1, -1};
}

// Counts and adds up the events of each stream, by deltas, and keeps the same sums in memory.
class Counted final : public eventsourcing::Projection {
 public:
  // Events whose number is a multiple of `poison_every` cannot be applied; 0: all can.
  Counted(std::string source, std::chrono::milliseconds flush_interval,
          std::int64_t poison_every = 0)
      : source_(std::move(source)), flush_interval_(flush_interval), poison_every_(poison_every) {}

  std::string_view name() const override { return "counted"; }
  std::vector<std::string> sources() const override { return {source_}; }
  eventsourcing::FlushPolicy flush_policy() const override { return {flush_interval_, 50}; }
  void load(sql::Transaction& transaction) override {
    deltas_.clear();
    versions_.clear();
    memory_ = {};
    for (const auto& row :
         transaction.execute("SELECT stream, version, count, sum, disorder FROM counted")) {
      versions_[row.text(0)] = static_cast<std::uint64_t>(row.integer(1));
      memory_.count += row.integer(2);
      memory_.sum += row.integer(3);
      memory_.disorder += row.integer(4);
    }
  }
  void apply(const eventsourcing::RecordedEvent& event) override {
    const auto n = nlohmann::json::parse(event.data).at("n").get<std::int64_t>();
    if (poison_every_ > 0 && n % poison_every_ == 0) throw eventsourcing::PoisonEvent("bad number");
    auto& version = versions_[event.stream.value()];
    CountedTotals& delta = deltas_[event.stream.value()];
    if (event.version.value() != version + 1) ++delta.disorder, ++memory_.disorder;
    version = event.version.value();
    ++delta.count, ++memory_.count;
    delta.sum += n, memory_.sum += n;
  }
  void flush(sql::Transaction& transaction) override {
    for (const auto& [stream, delta] : deltas_) {
      transaction.execute(
          "INSERT INTO counted AS c (stream, count, sum, version, disorder)"
          " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (stream) DO UPDATE SET"
          " count = c.count + $2::bigint, sum = c.sum + $3::bigint, version = $4::bigint,"
          " disorder = c.disorder + $5::bigint",
          {stream, delta.count, delta.sum, versions_[stream], delta.disorder});
    }
  }
  void flushed() override { deltas_.clear(); }

  // Only while no runner runs.
  const CountedTotals& memory() const { return memory_; }

 private:
  const std::string source_;
  const std::chrono::milliseconds flush_interval_;
  const std::int64_t poison_every_;
  std::map<std::string, CountedTotals> deltas_;
  std::map<std::string, std::uint64_t> versions_;
  CountedTotals memory_;
};

// A runner on a thread of its own.
class RunningProjection {
 public:
  struct Options {
    std::string group = "";
    std::chrono::milliseconds flush_interval = 20ms;
    std::int64_t poison_every = 0;
    std::chrono::milliseconds max_poll_interval = 300s;
    std::function<void(projections::RunnerPoint)> reached = nullptr;
  };

  RunningProjection(const std::string& service, sql::Database& database, const std::string& brokers,
                    Options options)
      : projection_(service, options.flush_interval, options.poison_every),
        gaps_(brokers),
        runner_(
            projection_,
            {database,
             std::make_unique<KafkaRecordSource>(
                 ConsumerOptions{.brokers = brokers,
                                 .services = {service},
                                 .logs = kLogs,
                                 .group = options.group,
                                 .client_id = "test",
                                 .shows_progress = true,
                                 .batch_records = 100,
                                 .session_timeout = 6000ms,
                                 .max_poll_interval = options.max_poll_interval}),
             [this](const auto& partition, auto position) { gaps_.report(partition, position); },
             [](std::string_view, const std::string& text) {
               std::fprintf(stderr, "runner %d: %s\n", getpid(), text.c_str());
             },
             std::move(options.reached)},
            kLogs, {.gap_report_interval = 500ms, .progress_interval = 100ms}),
        thread_([this](std::stop_token stop) { runner_.run(stop); }) {}
  explicit RunningProjection(PublishedService& service) : RunningProjection(service, Options{}) {}
  RunningProjection(PublishedService& service, Options options)
      : RunningProjection(service.name, service.database, PublishedService::brokers(),
                          std::move(options)) {}

  projections::ProjectionRunner& runner() { return runner_; }
  // Stops the runner first.
  CountedTotals memory() {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    return projection_.memory();
  }

 private:
  Counted projection_;
  GapReporter gaps_;
  projections::ProjectionRunner runner_;
  std::jthread thread_;
};

struct CountedService : PublishedService {
  CountedService() {
    EXPECT_TRUE(
        database
            .transact([](sql::Transaction& transaction) { transaction.execute(kCountedTableSql); })
            .ok());
  }
  CountedTotals totals() { return read_totals(database); }
  // From the events themselves.
  CountedTotals expected() {
    CountedTotals all;
    for (std::uint32_t index = 0; index < kLogs; ++index) {
      for (const auto& event : log(index)) {
        ++all.count;
        all.sum += nlohmann::json::parse(event.data).at("n").get<std::int64_t>();
      }
    }
    EXPECT_EQ(all.count, static_cast<std::int64_t>(appended));
    return all;
  }
  // How often partitions of the projection have been taken over.
  std::int64_t generations() {
    const auto sum = database.read([](sql::Transaction& transaction) {
      return transaction
          .execute("SELECT coalesce(sum(generation), 0)::bigint FROM projection_checkpoint")
          .at(0)
          .integer(0);
    });
    EXPECT_TRUE(sum.ok());
    return sum.ok() ? *sum : -1;
  }
};

}  // namespace tideline::kafka::testing
