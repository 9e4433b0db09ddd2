// A projection over topics and tables in memory, and a runner that drives it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eventsourcing/topics/in_memory_topics.hpp"
#include "projections/runner/projection_runner.hpp"
#include "tables_in_memory.hpp"

namespace tideline::projections {

using namespace std::chrono_literals;

inline constexpr auto kDeadline = 10s;

// Adds up the data of each stream's events. "poison" and "crash" cannot be applied, unless healed:
// then they count 100.
class Totals final : public eventsourcing::Projection {
 public:
  explicit Totals(eventsourcing::FlushPolicy policy = {20ms, 5000}, bool durable = true)
      : policy_(policy), durable_(durable) {}

  std::string_view name() const override { return "totals"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  eventsourcing::FlushPolicy flush_policy() const override { return policy_; }
  bool durable() const override { return durable_; }
  eventsourcing::PartitionPlaces loaded_places() const override { return saved_places; }
  bool answers_from_memory() const override { return answers; }

  void load(sql::Transaction& transaction) override {
    ++loads;
    if (on_load) on_load();
    in_memory_.clear();
    deltas_.clear();
    if (!durable_) in_memory_ = saved;
    if (!durable_) return;
    for (const sql::Row& row : transaction.execute("LOAD"))
      in_memory_[row.text(0)] = row.integer(1);
  }
  void prefetch(const eventsourcing::RecordedEvent& event) override {
    expected.push_back(event.data);
  }
  void apply(const eventsourcing::RecordedEvent& event) override {
    expected_at_apply.push_back(expected.size());
    const bool bad = event.data == "poison" || event.data == "crash";
    if (event.data == "poison" && !healed) throw eventsourcing::PoisonEvent(why_poison);
    deltas_[event.stream.value()] += 1000;  // undone below: a crash leaves half a change behind
    if (event.data == "crash" && !healed) throw std::logic_error("no such case");
    const std::int64_t value = bad ? 100 : std::stoll(event.data);
    deltas_[event.stream.value()] += value - 1000;
    in_memory_[event.stream.value()] += value;
    order_[event.stream.value()].push_back(event.position.value());
    ++applied;
    if (on_apply) on_apply();
  }
  void flush(sql::Transaction& transaction) override {
    for (const auto& [stream, delta] : deltas_) transaction.execute("ADD", {stream, delta});
  }
  void flushed() override { deltas_.clear(); }

  // Only while no runner runs.
  const std::map<std::string, std::int64_t>& in_memory() const { return in_memory_; }
  // Positions in the order in which they were applied, over all loads. Only while no runner runs.
  const std::vector<std::uint64_t>& order(const std::string& stream) { return order_[stream]; }

  // To be set before a runner runs.
  std::string why_poison = "it says so";
  bool healed = false;
  bool answers = false;
  std::function<void()> on_apply;
  std::function<void()> on_load;
  // What a model in memory takes up, and where that stands.
  std::map<std::string, std::int64_t> saved;
  eventsourcing::PartitionPlaces saved_places;

  // The data of each event that it was told of; how many these were before each apply(). Only while
  // no runner runs.
  std::vector<std::string> expected;
  std::vector<std::size_t> expected_at_apply;

  std::atomic<int> loads{0};
  std::atomic<int> applied{0};

 private:
  const eventsourcing::FlushPolicy policy_;
  const bool durable_;
  std::map<std::string, std::int64_t> in_memory_;
  std::map<std::string, std::int64_t> deltas_;
  std::map<std::string, std::vector<std::uint64_t>> order_;
};

inline eventsourcing::RecordedEvent event(std::uint32_t log, std::uint64_t position,
                                          std::string stream, std::string data) {
  eventsourcing::RecordedEvent made;
  made.id = "event";
  made.source = "feed";
  made.type = "Counted";
  made.stream = core::StreamId(std::move(stream));
  made.log = core::LogIndex(log);
  made.position = core::LogPosition(position);
  made.data = std::move(data);
  return made;
}

inline eventsourcing::PositionVector at(std::uint32_t log, std::uint64_t position) {
  eventsourcing::PositionVector vector;
  vector.raise("feed", core::LogIndex(log), core::LogPosition(position));
  return vector;
}

inline const eventsourcing::SourcePartition kFirst{"feed", core::LogIndex(0)};

class ProjectionRunnerTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kLogs = 2;

  // A runner on a thread of its own.
  struct Running {
    Running(
        eventsourcing::Projection& projection, std::unique_ptr<eventsourcing::RecordSource> source,
        TablesInMemory& tables,
        std::function<void(const eventsourcing::SourcePartition&, core::LogPosition)> report_gap,
        eventsourcing::ProjectionObserver* observer)
        : runner(projection,
                 {tables, std::move(source), std::move(report_gap), {}, nullptr, observer}, kLogs,
                 {.parked_max = 5,
                  .search_back_records = 1000,
                  .gap_report_interval = 50ms,
                  .backoff_min = 1ms,
                  .backoff_max = 20ms}),
          thread([this](std::stop_token stop) { runner.run(stop); }) {}

    ProjectionRunner runner;
    std::jthread thread;  // stops before the runner goes
  };

  std::unique_ptr<Running> run(eventsourcing::Projection& projection) {
    return run(projection, topics.source({"feed"}));
  }
  std::unique_ptr<Running> run(eventsourcing::Projection& projection,
                               std::unique_ptr<eventsourcing::RecordSource> source,
                               eventsourcing::ProjectionObserver* observer = nullptr) {
    return std::make_unique<Running>(
        projection, std::move(source), tables,
        [this](const eventsourcing::SourcePartition& partition, core::LogPosition p) {
          if (on_gap) on_gap(partition, p);
        },
        observer);
  }

  static bool eventually(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::int64_t total(const std::string& stream) { return tables.tables().totals[stream]; }
  TablesInMemory::Checkpoint checkpoint(std::uint32_t log) {
    return tables.tables().checkpoints[{"totals", "feed", log}];
  }
  // As another owner would.
  void take_over(std::uint32_t log, std::uint64_t position, std::int64_t next_offset) {
    const eventsourcing::SourcePartition partition{"feed", core::LogIndex(log)};
    ASSERT_TRUE(tables.transact([&](sql::Transaction& transaction) {
      const auto claims = postgres::checkpoints::claim(transaction, "totals", {partition});
      const bool moved = postgres::checkpoints::advance(
          transaction, "totals",
          {{partition, claims.at(0).generation, claims.at(0).position, core::LogPosition(position),
            core::KafkaOffset(next_offset)}});
      ASSERT_TRUE(moved);
    }));
  }

  eventsourcing::InMemoryTopics topics{kLogs};
  TablesInMemory tables;
  std::function<void(const eventsourcing::SourcePartition&, core::LogPosition)> on_gap;
};

}  // namespace tideline::projections
