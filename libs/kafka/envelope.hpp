// How an event looks as a Kafka record: CloudEvents 1.0, Kafka binding, binary mode. What the event
// is lies in headers, the value is the JSON data alone, the key is the stream id. Pure functions.
//
//   ce_specversion "1.0"    ce_id         UUID            ce_source   "feed"
//   ce_type   "MomentPublished"           ce_time  "2026-01-02T03:04:05.678901Z"
//   content-type "application/json"
//   tideline_position, tideline_stream_version, tideline_schema_version   decimal numbers
//   tideline_private "true" or "false"; a private event travels as a stub with an empty value
//   tideline_correlation_id, tideline_causation_id, traceparent           left out when empty
//
// The log is not in the record: it is the partition.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/event.hpp"

namespace tideline::kafka {

struct Header {
  std::string_view name;  // of static storage
  std::string value;
};

struct Record {
  std::string key;
  std::string value;
  std::vector<Header> headers;
};

// The stub of a private event carries no data, whatever `event.data` holds.
Record encode(const eventsourcing::RecordedEvent& event);

struct HeaderView {
  std::string_view name;
  std::string_view value;
};

// A record as it lies in the client's memory.
struct RecordView {
  std::string_view key;
  std::string_view value;
  std::span<const HeaderView> headers;
};

// Headers that are not known are passed over. An Error (InvalidInput) says what is missing or
// cannot be read.
core::Result<eventsourcing::RecordedEvent> decode(const RecordView& record, core::LogIndex log);
// The same into an event whose strings are filled again; after an Error its content is unspecified.
core::Status decode_into(eventsourcing::RecordedEvent& event, const RecordView& record,
                         core::LogIndex log);

}  // namespace tideline::kafka
