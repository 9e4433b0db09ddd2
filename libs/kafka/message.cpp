#include "kafka/message.hpp"

#include <librdkafka/rdkafka.h>

#include <array>

#include "kafka/envelope.hpp"

namespace tideline::kafka {

core::Result<eventsourcing::RecordedEvent> decode_message(const rd_kafka_message_s& message) {
  eventsourcing::RecordedEvent event;
  const core::Status read = decode_message_into(event, message);
  if (!read) return read.error();
  return event;
}

core::Status decode_message_into(eventsourcing::RecordedEvent& event,
                                 const rd_kafka_message_s& message) {
  // More headers than that are none of ours.
  constexpr std::size_t kHeadersMax = 32;
  std::array<HeaderView, kHeadersMax> headers;
  std::size_t count = 0;
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(&message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    while (count < kHeadersMax && rd_kafka_header_get_all(list, count, &name, &value, &size) ==
                                      RD_KAFKA_RESP_ERR_NO_ERROR) {
      headers[count++] = {name, {static_cast<const char*>(value), size}};
    }
  }
  const RecordView view{{static_cast<const char*>(message.key), message.key_len},
                        {static_cast<const char*>(message.payload), message.len},
                        {headers.data(), count}};
  return decode_into(event, view, core::LogIndex(static_cast<std::uint32_t>(message.partition)));
}

}  // namespace tideline::kafka
