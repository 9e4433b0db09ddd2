// How far a view has read a state topic, as statements. Every function runs inside the caller's
// transaction and throws TransactionFailed.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres {

// By partition, where the next record is expected.
using StateTopicOffsets = std::map<std::uint32_t, core::KafkaOffset>;

StateTopicOffsets state_topic_offsets(sql::Transaction& transaction, std::string_view view);
// Replicas keep one checkpoint together: what one of them has written need not be read again.
void advance_state_topic(sql::Transaction& transaction, std::string_view view,
                         const StateTopicOffsets& next);

}  // namespace tideline::postgres
