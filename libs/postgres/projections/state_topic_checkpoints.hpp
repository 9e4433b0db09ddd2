// How far a view has read a state topic, and how far its publisher has written one, as statements.
// Every function runs inside the caller's transaction and throws TransactionFailed.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres {

struct StateTopicPlace {
  std::int64_t edition = 0;                         // of the topic, the highest that was met
  std::map<std::uint32_t, core::KafkaOffset> next;  // by partition: where the next record comes
};

// `view`: the reader's name, or the topic's for its publisher.
StateTopicPlace state_topic_place(sql::Transaction& transaction, std::string_view view);
// Replicas keep one checkpoint together: of two places the one that is further stays, and the one
// of a higher edition is further.
void advance_state_topic(sql::Transaction& transaction, std::string_view view,
                         const StateTopicPlace& place);

}  // namespace tideline::postgres
