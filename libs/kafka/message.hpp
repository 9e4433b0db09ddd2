// A fetched message as an event. Internal to libs/kafka.
#pragma once

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"

struct rd_kafka_message_s;

namespace tideline::kafka {

core::Result<eventsourcing::RecordedEvent> decode_message(const rd_kafka_message_s& message);
// As decode_into() of envelope.hpp.
core::Status decode_message_into(eventsourcing::RecordedEvent& event,
                                 const rd_kafka_message_s& message);

}  // namespace tideline::kafka
