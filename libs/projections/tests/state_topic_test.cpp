#include "eventsourcing/projections/state_topic.hpp"
#include "projections/runner/state_topic_runner.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "tables_in_memory.hpp"

namespace tideline::projections {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeadline = 10s;

// Keeps the newest version of each key in memory; a value is "<version>:<text>".
class Newest final : public eventsourcing::StateView {
 public:
  std::string_view name() const override { return "newest"; }
  bool durable() const override { return false; }
  void load(sql::Transaction&) override { values.clear(); }
  void apply(const std::string& key, const std::optional<std::string>& value) override {
    if (value && value->find(':') == std::string::npos)
      throw eventsourcing::PoisonEvent("no version");
    if (!value) {
      values.erase(key);
    } else if (std::stoi(*value) > std::stoi(values.emplace(key, "0:").first->second)) {
      values[key] = *value;
    }
  }
  void flush(sql::Transaction&) override { FAIL() << "a view in memory has nothing to flush"; }

  std::map<std::string, std::string> values;  // only while no runner runs
};

// The source within, whose first poll fails.
class FailsFirst final : public eventsourcing::StateSource {
 public:
  explicit FailsFirst(std::unique_ptr<eventsourcing::StateSource> source)
      : source_(std::move(source)) {}

  std::uint32_t partitions() const override { return source_->partitions(); }
  core::Result<eventsourcing::StatePoll> poll(std::chrono::milliseconds timeout) override {
    if (!std::exchange(failed_, true)) return core::unavailable("no broker");
    return source_->poll(timeout);
  }
  core::Status seek(std::uint32_t partition, core::KafkaOffset offset) override {
    return source_->seek(partition, offset);
  }

 private:
  std::unique_ptr<eventsourcing::StateSource> source_;
  bool failed_ = false;
};

StateTopicStatus run_until_caught_up(eventsourcing::StateView& view,
                                     std::unique_ptr<eventsourcing::StateSource> source,
                                     sql::Database& tables) {
  StateTopicRunner runner(view, tables, std::move(source), {});
  std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!runner.status().caught_up_once && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  thread.request_stop();
  thread.join();
  return runner.status();
}

TEST(StateTopicRunnerTest, TheNewestStateWinsAndATombstoneErases) {
  eventsourcing::InMemoryStateTopic topic(3);
  TablesInMemory tables;
  ASSERT_TRUE(topic
                  .send({{"a", "2:new"},
                         {"a", "1:old"},
                         {"b", "1:Bob"},
                         {"c", "unreadable"},
                         {"b", std::nullopt}})
                  .ok());
  Newest newest;
  const StateTopicStatus status = run_until_caught_up(newest, topic.source(), tables);
  EXPECT_TRUE(status.caught_up_once);
  EXPECT_EQ(status.applied, 4U);
  EXPECT_EQ(status.passed_over, 1U);
  EXPECT_EQ(newest.values, (std::map<std::string, std::string>{{"a", "2:new"}}));
  EXPECT_EQ(tables.commits(), 0) << "a view in memory needs no database";
}

TEST(StateTopicRunnerTest, AnEmptyTopicCountsAsCaughtUp) {
  eventsourcing::InMemoryStateTopic topic(3);
  TablesInMemory tables;
  Newest newest;
  EXPECT_TRUE(run_until_caught_up(newest, topic.source(), tables).caught_up_once);
}

TEST(StateTopicRunnerTest, AProblemThatIsOverIsNotTold) {
  eventsourcing::InMemoryStateTopic topic(3);
  TablesInMemory tables;
  Newest newest;
  const StateTopicStatus status =
      run_until_caught_up(newest, std::make_unique<FailsFirst>(topic.source()), tables);
  EXPECT_TRUE(status.caught_up_once);
  EXPECT_EQ(status.last_problem, "");
}

// 0 to end - 1, of whatever size the case is: else small ones would draw 0 for ever.
std::size_t drawn(std::size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, end));
}

// Hands out a topic's records in pieces, of one partition after another at random; `before_each` is
// told how many records are left.
class InPieces final : public eventsourcing::StateSource {
 public:
  using Records = std::vector<eventsourcing::StateRecord>;

  InPieces(std::vector<Records> partitions, std::function<void(std::size_t left)> before_each)
      : partitions_(std::move(partitions)),
        next_(partitions_.size()),
        before_each_(std::move(before_each)) {}

  std::uint32_t partitions() const override {
    return static_cast<std::uint32_t>(partitions_.size());
  }
  core::Result<eventsourcing::StatePoll> poll(std::chrono::milliseconds) override {
    std::size_t left = 0;
    for (std::size_t i = 0; i < next_.size(); ++i) left += partitions_[i].size() - next_[i];
    before_each_(left);
    eventsourcing::StatePoll polled;
    const auto from = drawn(partitions_.size());
    const auto end = std::min(next_[from] + drawn(4), partitions_[from].size());
    while (next_[from] < end) polled.records.push_back(partitions_[from][next_[from]++]);
    return polled;
  }
  core::Status seek(std::uint32_t partition, core::KafkaOffset offset) override {
    next_[partition] = static_cast<std::size_t>(offset.value());
    return core::success();
  }

 private:
  std::vector<Records> partitions_;
  std::vector<std::size_t> next_;
  std::function<void(std::size_t)> before_each_;
};

// Publication n is of position n. Whenever a reader covers it, it has every state of it.
RC_GTEST_PROP(StateTopicLaw, PositionsAreCoveredWhenEveryPartitionHasTheirStates, ()) {
  constexpr std::uint32_t kPartitions = 3;
  eventsourcing::InMemoryStateTopic topic(kPartitions);
  const auto publications = *rc::gen::inRange<std::uint64_t>(1, 8);
  std::vector<std::set<std::string>> keys(publications + 1);
  for (std::uint64_t n = 1; n <= publications; ++n) {
    const auto changed = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "b", "c", "d", "e", "f", "g"));
    keys[n] = {changed.begin(), changed.end()};
    std::vector<eventsourcing::StateUpdate> updates;
    for (const auto& key : keys[n]) updates.push_back({key, std::to_string(n) + ":"});
    RC_ASSERT(topic.send(updates).ok());
    eventsourcing::PositionVector applied;
    applied.raise("scores", core::LogIndex(0), core::LogPosition(n));
    RC_ASSERT(topic.send_applied(applied).ok());
  }
  std::vector<InPieces::Records> records(kPartitions);
  const auto source = topic.source();
  for (std::uint32_t i = 0; i < kPartitions; ++i) {
    RC_ASSERT(source->seek(i, core::KafkaOffset(0)).ok());
  }
  const auto all = source->poll(0ms);
  for (const auto& record : all->records) records[record.partition].push_back(record);

  Newest newest;
  TablesInMemory tables;
  std::stop_source stop;
  eventsourcing::AppliedPositions* applied = nullptr;
  std::uint64_t covered = 0;
  StateTopicRunner runner(
      newest, tables,
      std::make_unique<InPieces>(records,
                                 [&](std::size_t left) {
                                   covered =
                                       applied->current().at("scores", core::LogIndex(0)).value();
                                   for (std::uint64_t n = 1; n <= covered; ++n) {
                                     for (const auto& key : keys[n]) {
                                       RC_ASSERT(newest.values.contains(key));
                                       RC_ASSERT(std::stoull(newest.values[key]) >= n);
                                     }
                                   }
                                   if (left == 0) stop.request_stop();
                                 }),
      {}, {"scores"});
  applied = &runner.applied();
  eventsourcing::PositionVector first;
  first.raise("scores", core::LogIndex(0), core::LogPosition(1));
  RC_ASSERT(!applied->covers(first));
  runner.run(stop.get_token());
  RC_ASSERT(covered == publications);
}

}  // namespace
}  // namespace tideline::projections
