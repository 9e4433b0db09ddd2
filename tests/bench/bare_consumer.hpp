// The peer of everything that reads a topic: a plain librdkafka consumer that does nothing but
// count.
#pragma once

#include <librdkafka/rdkafka.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace tideline::bench {

// Reads all partitions of `topic` from their first record to their present end, with the client's
// own settings, and returns how many records there were. Trouble ends the program.
inline std::int64_t count_records(const std::string& brokers, const std::string& topic,
                                  std::uint32_t partitions) {
  const auto give_up = [](const char* why) {
    std::fprintf(stderr, "%s\n", why);
    std::exit(1);
  };
  std::array<char, 256> why{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), why.data(), why.size());
  rd_kafka_conf_set(conf, "group.id", "tideline-bench-bare", why.data(), why.size());
  rd_kafka_conf_set(conf, "enable.auto.commit", "false", why.data(), why.size());
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why.data(), why.size());
  if (client == nullptr) give_up(why.data());
  rd_kafka_poll_set_consumer(client);
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
  std::int64_t records = 0;
  for (int partition = 0; partition < static_cast<int>(partitions); ++partition) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    const auto error =
        rd_kafka_query_watermark_offsets(client, topic.c_str(), partition, &low, &high, 10'000);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) give_up(rd_kafka_err2str(error));
    records += high - low;
    rd_kafka_topic_partition_list_add(list, topic.c_str(), partition)->offset = low;
  }
  rd_kafka_assign(client, list);
  rd_kafka_topic_partition_list_destroy(list);
  rd_kafka_queue_t* queue = rd_kafka_queue_get_consumer(client);
  std::vector<rd_kafka_message_t*> batch(10'000);
  std::int64_t counted = 0;
  while (counted < records) {
    const auto count = rd_kafka_consume_batch_queue(queue, 100, batch.data(), batch.size());
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      rd_kafka_message_t* message = batch[static_cast<std::size_t>(i)];
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) ++counted;
      rd_kafka_message_destroy(message);
    }
  }
  rd_kafka_queue_destroy(queue);
  rd_kafka_consumer_close(client);
  rd_kafka_destroy(client);
  return counted;
}

}  // namespace tideline::bench
