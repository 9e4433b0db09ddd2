// How an event looks as a Kafka record: CloudEvents 1.0, Kafka binding, binary mode. What the event
// is lies in headers, the value is the JSON data alone, the key is the stream id. No I/O.
//
//   ce_specversion "1.0"    ce_id         UUID            ce_source   "feed"
//   ce_type   "MomentPublished"           ce_time  "2026-01-02T03:04:05.678901Z"
//   traceparent   and tracestate are left out when empty
//   ce_tideline "position=42 stream_version=3 schema_version=2 correlation_id=a causation_id=b":
//             an extension attribute, which SDKs keep as they keep every ce_ header: what
//             CloudEvents has no name for, `seen` (the writer's position token) among it. Ids are
//             left out when empty; what is not visible ASCII in them, and the percent sign, is
//             written %XX. A private event has "private=true" as well, and travels as a stub with
//             an empty value. Older programs called the header `tideline`: it is read as well.
//
// Every header costs each of its readers a few allocations, whatever it holds (librdkafka copies
// them one by one): so what is ours lies in one (ADR 0033), and what is the same on all records of
// all topics is not on them. The value is JSON by the contract of the topics, and an event is
// public unless its record says otherwise; that a record says so (private=false, content-type) is
// no error.
//
// The log is not in the record: it is the partition.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"

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
  static constexpr std::size_t kHeadersMax = 8;

  void write_own(const eventsourcing::RecordedEvent& event);

  std::array<HeaderView, kHeadersMax> headers_;
  std::string time_;
  std::string own_;
};

// Headers that are not known are passed over. An Error (InvalidInput) says what is missing or
// cannot be read.
core::Result<eventsourcing::RecordedEvent> decode(const RecordView& record, core::LogIndex log);
// The same into an event whose strings are filled again; after an Error its content is unspecified.
core::Status decode_into(eventsourcing::RecordedEvent& event, const RecordView& record,
                         core::LogIndex log);

}  // namespace tideline::kafka
