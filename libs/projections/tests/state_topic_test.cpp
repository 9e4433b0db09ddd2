#include "eventsourcing/projections/state_topic.hpp"
#include "projections/runner/state_topic_runner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
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

}  // namespace
}  // namespace tideline::projections
