#include "kafka/topics.hpp"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <thread>

#include "core/check.hpp"
#include "kafka/client.hpp"

namespace tideline::kafka {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kAttempt{2000};
constexpr milliseconds kAnswerSlack{500};  // the client gives up by itself before that
constexpr milliseconds kBetweenAttempts{50};

struct ReleaseAdmin {
  void operator()(rd_kafka_NewTopic_t* topic) const { rd_kafka_NewTopic_destroy(topic); }
  void operator()(rd_kafka_AdminOptions_t* options) const {
    rd_kafka_AdminOptions_destroy(options);
  }
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, ReleaseAdmin>;

// Partitions that have a leader, by topic; a topic that does not exist is not there.
struct Topic {
  std::uint32_t partitions = 0;
  bool ready = true;
};
using Topics = std::map<std::string, Topic>;

core::Result<Topics> look(rd_kafka_t* client, milliseconds timeout) {
  const rd_kafka_metadata_t* raw = nullptr;
  const auto error = rd_kafka_metadata(client, 1, nullptr, &raw, static_cast<int>(timeout.count()));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_error(error, "list of topics");
  const Owned<const rd_kafka_metadata_t> metadata(raw);
  Topics topics;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic_t& found = metadata->topics[i];
    if (found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) continue;
    Topic topic{static_cast<std::uint32_t>(found.partition_cnt), found.err == 0};
    for (int p = 0; p < found.partition_cnt; ++p) {
      if (found.partitions[p].leader < 0) topic.ready = false;
    }
    topics[found.topic] = topic;
  }
  return topics;
}

Owned<rd_kafka_NewTopic_t> describe(const TopicSpec& spec) {
  std::array<char, 256> why{};
  Owned<rd_kafka_NewTopic_t> topic(rd_kafka_NewTopic_new(spec.name.c_str(),
                                                         static_cast<int>(spec.partitions),
                                                         spec.replication, why.data(), why.size()));
  CHECK(topic != nullptr, why.data());
  const auto set = [&](const char* name, const std::string& value) {
    rd_kafka_NewTopic_set_config(topic.get(), name, value.c_str());
  };
  set("max.message.bytes", std::to_string(kRecordBytesMax));
  set("cleanup.policy", spec.compacted ? "compact" : "delete");
  if (spec.compacted) {
    // The newest segment is never compacted: a new one begins often enough, and what has been
    // replaced goes soon after, for it may be what an erased person was called.
    const std::string within = std::to_string(milliseconds(kForgottenWithin).count());
    set("segment.ms", within);
    set("max.compaction.lag.ms", within);
  }
  set("retention.ms", spec.retention ? std::to_string(spec.retention->count()) : "-1");
  if (spec.replication > 2) set("min.insync.replicas", "2");
  return topic;
}

core::Status create(rd_kafka_t* client, const std::vector<TopicSpec>& missing,
                    milliseconds timeout) {
  std::vector<Owned<rd_kafka_NewTopic_t>> owned;
  std::vector<rd_kafka_NewTopic_t*> wanted;
  for (const TopicSpec& spec : missing) {
    owned.push_back(describe(spec));
    wanted.push_back(owned.back().get());
  }
  const ClientQueue queue(rd_kafka_queue_new(client));
  const Owned<rd_kafka_AdminOptions_t> options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_CREATETOPICS));
  std::array<char, 256> why{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), static_cast<int>(timeout.count()),
                                            why.data(), why.size());
  rd_kafka_CreateTopics(client, wanted.data(), wanted.size(), options.get(), queue.get());
  const Owned<rd_kafka_event_t> event(
      rd_kafka_queue_poll(queue.get(), static_cast<int>((timeout + kAnswerSlack).count())));
  if (!event) return core::timed_out("creation of topics");
  if (const auto error = rd_kafka_event_error(event.get())) {
    return kafka_error(error, "creation of topics");
  }
  std::size_t count = 0;
  const auto* result = rd_kafka_event_CreateTopics_result(event.get());
  const auto** topics = rd_kafka_CreateTopics_result_topics(result, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto error = rd_kafka_topic_result_error(topics[i]);
    // Another process may have been first.
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
      continue;
    }
    return kafka_error(error, std::string("creation of ") + rd_kafka_topic_result_name(topics[i]));
  }
  return core::success();
}

// True when all are there and ready; makes those that are missing.
core::Result<bool> attempt(rd_kafka_t* client, const std::vector<TopicSpec>& specs,
                           milliseconds timeout) {
  const auto found = look(client, timeout);
  if (!found) return found.error();
  std::vector<TopicSpec> missing;
  bool ready = true;
  for (const TopicSpec& spec : specs) {
    const auto topic = found->find(spec.name);
    if (topic == found->end()) {
      missing.push_back(spec);
      continue;
    }
    ready = ready && topic->second.ready;
    // A topic in the making shows no partitions yet.
    if (!topic->second.ready || topic->second.partitions == spec.partitions) continue;
    return core::invalid_input("topic " + spec.name + " has " +
                               std::to_string(topic->second.partitions) + " partitions, not " +
                               std::to_string(spec.partitions));
  }
  if (missing.empty()) return ready;
  const core::Status created = create(client, missing, timeout);
  if (!created) return created.error();
  return false;
}

}  // namespace

std::string events_topic(std::string_view service) { return "tideline." + std::string(service); }

core::Status ensure_topics(const Brokers& brokers, const std::vector<TopicSpec>& specs,
                           milliseconds deadline) {
  const auto end = Clock::now() + deadline;
  const Client client =
      make_producer(make_conf(brokers, "tideline-topics", {{"allow.auto.create.topics", "false"}}));
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    const auto done = attempt(client.get(), specs, std::clamp(left, kBetweenAttempts, kAttempt));
    if (done && *done) return core::success();
    if (!done && !done.error().retryable) return done.error();
    if (Clock::now() + kBetweenAttempts > end) {
      return done ? core::Status(core::timed_out("topics have no leaders yet")) : done.error();
    }
    std::this_thread::sleep_for(kBetweenAttempts);
  }
}

}  // namespace tideline::kafka
