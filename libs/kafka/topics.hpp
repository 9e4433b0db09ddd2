// Names of the topics, and their creation. Pure functions but for ensure_topics.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "kafka/brokers.hpp"

namespace tideline::kafka {

// "tideline.<service>": the events of a service; partition p is its log p.
std::string events_topic(std::string_view service);
// Latest public profile of each account, compacted.
inline constexpr const char* kProfilesTopic = "tideline.profiles";
// Latest scores of each account, compacted.
inline constexpr const char* kScoresTopic = "tideline.scores";
// Positions that consumers miss; relays read it. One partition.
inline constexpr const char* kGapsTopic = "tideline.gaps";

// What a topic made here takes, and what the relay sends: more than an append may hold, for an
// event that cannot be published would hold up its log for ever.
inline constexpr int kRecordBytesMax = 16 << 20;

// About so long after a record of a compacted topic was replaced it is gone from the brokers'
// files.
inline constexpr std::chrono::hours kForgottenWithin{1};

struct TopicSpec {
  std::string name;
  std::uint32_t partitions = 1;
  std::uint16_t replication = 1;
  // Keeps the newest record of each key instead of all records.
  bool compacted = false;
  // How long records are kept; nullopt = for ever.
  std::optional<std::chrono::milliseconds> retention = {};
};

// Makes the topics that are missing and waits until every partition has a leader. A topic that is
// there already is left as it is; one with another number of partitions is an Error
// (InvalidInput), for a log would then be another partition. Safe to call from many processes at
// once. Blocks, at most for `deadline`; brokers that do not answer until then are a retryable
// Error.
core::Status ensure_topics(const Brokers& brokers, const std::vector<TopicSpec>& specs,
                           std::chrono::milliseconds deadline);

}  // namespace tideline::kafka
