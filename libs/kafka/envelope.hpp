// How an event looks as a Kafka record: CloudEvents 1.0, Kafka binding, binary mode. What the event
// is lies in headers, the value is the JSON data alone, the key is the stream id. No I/O.
//
//   ce_specversion "1.0"    ce_id         UUID            ce_source   "feed"
//   ce_type   "MomentPublished"           ce_time  "2026-01-02T03:04:05.678901Z"
//   tideline_position, tideline_stream_version, tideline_schema_version   decimal numbers
//   tideline_private "true"; such an event travels as a stub with an empty value
//   tideline_correlation_id, tideline_causation_id, traceparent           left out when empty
//
// Every header costs each of its readers more than its bytes: what is the same on all records of
// all topics is not on them. The value is JSON by the contract of the topics, and an event is
// public unless its record says otherwise; that a record says so ("false", content-type) is no
// error.
//
// The log is not in the record: it is the partition.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "eventsourcing/event.hpp"

namespace tideline::kafka {

struct HeaderView {
  std::string_view name;
  std::string_view value;
};

// A record as it lies in somebody else's memory.
struct RecordView {
  std::string_view key;
  std::string_view value;
  std::span<const HeaderView> headers;
};

// Without a copy of what the event holds as text already. One thread.
class Encoder {
 public:
  // Valid until the next call, and as long as the event. The stub of a private event carries no
  // data, whatever `event.data` holds.
  RecordView encode(const eventsourcing::RecordedEvent& event);

 private:
  static constexpr std::size_t kHeadersMax = 12;
  static constexpr std::size_t kDigitsMax = 3 * 20;

  std::array<HeaderView, kHeadersMax> headers_;
  std::array<char, kDigitsMax> numbers_;
  std::string time_;
};

// Headers that are not known are passed over. An Error (InvalidInput) says what is missing or
// cannot be read.
core::Result<eventsourcing::RecordedEvent> decode(const RecordView& record, core::LogIndex log);
// The same into an event whose strings are filled again; after an Error its content is unspecified.
core::Status decode_into(eventsourcing::RecordedEvent& event, const RecordView& record,
                         core::LogIndex log);

}  // namespace tideline::kafka
