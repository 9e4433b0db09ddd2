// librdkafka's mock cluster: a broker in this process that can be told to fail. It checks no
// sequence numbers and keeps little, so it is for faults only, never a store.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "kafka/client.hpp"
#include "kafka/topics.hpp"

namespace tideline::kafka::testing {

class MockKafka {
 public:
  MockKafka(const std::string& service, std::uint32_t logs)
      : client_(make_producer(make_conf("", "mock", {}))),
        cluster_(rd_kafka_mock_cluster_new(client_.get(), 1)) {
    rd_kafka_mock_topic_create(cluster_.get(), events_topic(service).c_str(),
                               static_cast<int>(logs), 1);
    rd_kafka_mock_topic_create(cluster_.get(), kGapsTopic, 1, 1);
  }

  std::string brokers() const { return rd_kafka_mock_cluster_bootstraps(cluster_.get()); }

  // The next produce requests are answered so; NO_ERROR lets one through.
  void fail_produce(const std::vector<rd_kafka_resp_err_t>& errors) {
    constexpr std::int16_t kProduce = 0;
    rd_kafka_mock_push_request_errors_array(cluster_.get(), kProduce, errors.size(), errors.data());
  }
  // How long each answer takes.
  void answer_after(std::chrono::milliseconds time) {
    rd_kafka_mock_broker_set_rtt(cluster_.get(), 1, static_cast<int>(time.count()));
  }
  void set_down() { rd_kafka_mock_broker_set_down(cluster_.get(), 1); }
  void set_up() { rd_kafka_mock_broker_set_up(cluster_.get(), 1); }

 private:
  struct Destroy {
    void operator()(rd_kafka_mock_cluster_t* cluster) const {
      rd_kafka_mock_cluster_destroy(cluster);
    }
  };
  Client client_;
  std::unique_ptr<rd_kafka_mock_cluster_t, Destroy> cluster_;
};

}  // namespace tideline::kafka::testing
