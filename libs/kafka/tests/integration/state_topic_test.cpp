#include "kafka/state_topic.hpp"
#include "projections/runner/state_topic_runner.hpp"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <map>
#include <optional>

#include "kafka/client.hpp"
#include "kafka/topics.hpp"
#include "published_service.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;

constexpr std::uint32_t kPartitions = 3;

// Keeps each value in a table, and counts what it was given.
class Names final : public eventsourcing::StateView {
 public:
  std::string_view name() const override { return "names"; }
  eventsourcing::FlushPolicy flush_policy() const override { return {10ms, 1000}; }
  void load(sql::Transaction&) override { pending_.clear(); }
  void apply(const std::string& key, const std::optional<std::string>& value) override {
    if (value == "unreadable") throw eventsourcing::PoisonEvent("it says so");
    pending_[key] = value;
  }
  void flush(sql::Transaction& transaction) override {
    for (const auto& [key, value] : pending_) {
      transaction.execute(
          "INSERT INTO name (key, value) VALUES ($1, $2)"
          " ON CONFLICT (key) DO UPDATE SET value = $2",
          {key, value});
    }
  }
  void flushed() override { pending_.clear(); }

 private:
  std::map<std::string, std::optional<std::string>> pending_;
};

// What the broker says of the topic.
std::map<std::string, std::string> settings_of(const std::string& brokers,
                                               const std::string& topic) {
  const Client client = make_producer(make_conf(brokers, "test", {}));
  const ClientQueue queue(rd_kafka_queue_new(client.get()));
  std::array<rd_kafka_ConfigResource_t*, 1> asked{
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str())};
  rd_kafka_DescribeConfigs(client.get(), asked.data(), asked.size(), nullptr, queue.get());
  rd_kafka_ConfigResource_destroy(asked[0]);
  rd_kafka_event_t* const event = rd_kafka_queue_poll(queue.get(), 20'000);
  std::map<std::string, std::string> settings;
  std::size_t count = 0;
  const auto* const result = event ? rd_kafka_event_DescribeConfigs_result(event) : nullptr;
  const auto* const* const told =
      result ? rd_kafka_DescribeConfigs_result_resources(result, &count) : nullptr;
  if (count == 1) {
    const auto* const* const entries = rd_kafka_ConfigResource_configs(told[0], &count);
    for (std::size_t i = 0; i < count; ++i) {
      const char* const value = rd_kafka_ConfigEntry_value(entries[i]);
      settings[rd_kafka_ConfigEntry_name(entries[i])] = value == nullptr ? "" : value;
    }
  }
  if (event != nullptr) rd_kafka_event_destroy(event);
  return settings;
}

class StateTopicIntegration : public ::testing::Test {
 protected:
  StateTopicIntegration() : database(postgres::testing::fresh_database(1)) {
    options.brokers = test_support::KafkaServer::shared().brokers();
    options.topic = events_topic(test_support::KafkaServer::shared().unused_service());
    options.partitions = kPartitions;
    EXPECT_TRUE(
        ensure_topics(options.brokers,
                      {{.name = options.topic, .partitions = kPartitions, .compacted = true}}, 20s)
            .ok());
    EXPECT_TRUE(database
                    .transact([](sql::Transaction& transaction) {
                      transaction.execute("CREATE TABLE name (key text PRIMARY KEY, value text)");
                    })
                    .ok());
  }

  std::optional<std::string> value_of(const std::string& key) {
    const auto value = database.read([&](sql::Transaction& transaction) {
      const auto rows = transaction.execute("SELECT value FROM name WHERE key = $1", {key});
      return rows.empty() ? std::nullopt : rows[0].nullable_text(0);
    });
    EXPECT_TRUE(value.ok());
    return value.ok() ? *value : std::nullopt;
  }

  // Runs the view until it is caught up, and returns how many records that took.
  std::uint64_t catch_up() {
    Names names;
    projections::StateTopicRunner runner(names, database,
                                         std::make_unique<KafkaStateSource>(options), {});
    std::jthread thread([&](std::stop_token stop) { runner.run(stop); });
    EXPECT_TRUE(eventually([&] { return runner.status().caught_up_once; }))
        << runner.status().last_problem;
    thread.request_stop();
    thread.join();
    return runner.status().applied + runner.status().passed_over;
  }

  StateTopicOptions options;
  postgres::PooledDatabase database;
};

// Kafka never compacts the segment that it writes to, which would be for ever where little comes.
TEST_F(StateTopicIntegration, WhatWasReplacedIsForgottenInBoundedTime) {
  const auto settings = settings_of(options.brokers.addresses, options.topic);
  const std::string within = std::to_string(std::chrono::milliseconds(kForgottenWithin).count());
  EXPECT_EQ(settings.at("cleanup.policy"), "compact");
  EXPECT_EQ(settings.at("segment.ms"), within);
  EXPECT_EQ(settings.at("max.compaction.lag.ms"), within);
}

TEST_F(StateTopicIntegration, StatesComeThroughAndTombstonesErase) {
  KafkaStateSink topic(options);
  ASSERT_TRUE(topic.send({{"a", "Ada"}, {"b", "Bob"}, {"c", ""}, {"d", "unreadable"}}, 0).ok());
  ASSERT_TRUE(topic.send({{"b", std::nullopt}}, 0).ok());
  EXPECT_EQ(catch_up(), 5U);
  EXPECT_EQ(value_of("a"), "Ada");
  EXPECT_EQ(value_of("b"), std::nullopt);
  EXPECT_EQ(value_of("c"), "") << "an empty value is no tombstone";
  EXPECT_EQ(value_of("d"), std::nullopt);
}

TEST_F(StateTopicIntegration, GoesOnWhereItStopped) {
  KafkaStateSink topic(options);
  ASSERT_TRUE(topic.send({{"a", "Ada"}, {"b", "Bob"}}, 0).ok());
  EXPECT_EQ(catch_up(), 2U);
  ASSERT_TRUE(topic.send({{"a", "Ada Lovelace"}}, 0).ok());
  EXPECT_EQ(catch_up(), 3U) << "the new one, and the last of two partitions once more";
  EXPECT_EQ(value_of("a"), "Ada Lovelace");
  EXPECT_EQ(value_of("b"), "Bob");
}

TEST_F(StateTopicIntegration, AnEmptyTopicCountsAsCaughtUp) { EXPECT_EQ(catch_up(), 0U); }

TEST_F(StateTopicIntegration, APublicationThatIsNotAcknowledgedIsAnError) {
  options.brokers = "127.0.0.1:1";
  options.publish_timeout = 300ms;
  KafkaStateSink topic(options);
  EXPECT_FALSE(topic.send({{"a", "Ada"}}, 0).ok());
}

}  // namespace
}  // namespace tideline::kafka
