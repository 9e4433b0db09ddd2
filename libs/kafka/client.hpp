// librdkafka's handles with owners, and its settings. Internal to libs/kafka; the header of
// librdkafka itself stays in the .cpp files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "kafka/brokers.hpp"

struct rd_kafka_s;
struct rd_kafka_conf_s;
struct rd_kafka_queue_s;
struct rd_kafka_topic_s;
struct rd_kafka_topic_partition_list_s;
struct rd_kafka_message_s;

namespace tideline::kafka {

struct Release {
  void operator()(rd_kafka_s* client) const;
  void operator()(rd_kafka_conf_s* settings) const;
  void operator()(rd_kafka_queue_s* queue) const;
  void operator()(rd_kafka_topic_s* topic) const;
  void operator()(rd_kafka_topic_partition_list_s* list) const;
};

using Client = std::unique_ptr<rd_kafka_s, Release>;
using ClientConf = std::unique_ptr<rd_kafka_conf_s, Release>;
using ClientQueue = std::unique_ptr<rd_kafka_queue_s, Release>;
using ClientTopic = std::unique_ptr<rd_kafka_topic_s, Release>;
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_s, Release>;

// With what every client of ours has. A setting that librdkafka refuses is a bug (CHECK). Its log
// lines are dropped: what matters comes as errors.
ClientConf make_conf(const Brokers& brokers, const std::string& client_id,
                     const Settings& settings);
// Takes the settings over.
Client make_producer(ClientConf conf);
Client make_consumer(ClientConf conf);

// Settings of a consumer that reads by manual assignment, with little delay and bounded memory: it
// fetches no more while this much waits to be taken.
inline constexpr std::size_t kQueueBytes = 16U << 20U;
Settings reader_settings();

// From an rd_kafka_resp_err_t.
core::Error kafka_error(int code, const std::string& doing);

// One past the last record of partitions 0 .. partitions-1 of `topic`, in one round trip a broker.
core::Result<std::vector<std::int64_t>> query_ends(rd_kafka_s* client, const std::string& topic,
                                                   std::uint32_t partitions,
                                                   std::chrono::milliseconds timeout);

// Waits for the first message, takes what else is there, at most `count_max`, and shows each to
// `visit`: records, and ends of partitions where the client asks for them. Returns the last error
// that came among them. Calls back for rebalances.
std::optional<core::Error> consume(rd_kafka_s* client, rd_kafka_queue_s* queue,
                                   std::chrono::milliseconds timeout, std::size_t count_max,
                                   const std::function<void(const rd_kafka_message_s&)>& visit);

}  // namespace tideline::kafka
