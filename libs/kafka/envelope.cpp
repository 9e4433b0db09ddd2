#include "kafka/envelope.hpp"

#include <charconv>
#include <optional>

namespace tideline::kafka {
namespace {

using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;

constexpr std::string_view kSpecVersion = "ce_specversion";
constexpr std::string_view kId = "ce_id";
constexpr std::string_view kSource = "ce_source";
constexpr std::string_view kType = "ce_type";
constexpr std::string_view kTime = "ce_time";
constexpr std::string_view kPosition = "tideline_position";
constexpr std::string_view kStreamVersion = "tideline_stream_version";
constexpr std::string_view kSchemaVersion = "tideline_schema_version";
constexpr std::string_view kPrivate = "tideline_private";
constexpr std::string_view kCorrelationId = "tideline_correlation_id";
constexpr std::string_view kCausationId = "tideline_causation_id";
constexpr std::string_view kTraceparent = "traceparent";

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

core::Error malformed(std::string_view what) {
  return core::invalid_input("no event: header " + std::string(what) +
                             " is missing or cannot be read");
}

// The headers that matter, in one pass; of a repeated header the last counts.
struct Found {
  std::string_view spec_version, id, source, type, time, position, stream_version, schema_version,
      is_private = "false", correlation_id, causation_id, traceparent;

  explicit Found(const RecordView& record) {
    for (const HeaderView& header : record.headers) {
      if (std::string_view* place = place_of(header.name)) *place = header.value;
    }
  }

 private:
  // By length first: few of the names have the same.
  std::string_view* place_of(std::string_view name) {
    switch (name.size()) {
      case kPosition.size():
        return name == kPosition ? &position : nullptr;
      case kStreamVersion.size():
        static_assert(kStreamVersion.size() == kSchemaVersion.size() &&
                      kStreamVersion.size() == kCorrelationId.size());
        if (name == kStreamVersion) return &stream_version;
        if (name == kSchemaVersion) return &schema_version;
        return name == kCorrelationId ? &correlation_id : nullptr;
      case kPrivate.size():
        return name == kPrivate ? &is_private : nullptr;
      case kCausationId.size():
        return name == kCausationId ? &causation_id : nullptr;
      case kTraceparent.size():
        return name == kTraceparent ? &traceparent : nullptr;
      case kSpecVersion.size():
        return name == kSpecVersion ? &spec_version : nullptr;
      case kId.size():
        return name == kId ? &id : nullptr;
      case kSource.size():
        return name == kSource ? &source : nullptr;
      case kType.size():
        static_assert(kType.size() == kTime.size());
        if (name == kType) return &type;
        return name == kTime ? &time : nullptr;
      default:
        return nullptr;
    }
  }
};

}  // namespace

RecordView Encoder::encode(const RecordedEvent& event) {
  const bool is_private = event.visibility == Visibility::Private;
  std::size_t count = 0;
  char* free = numbers_.data();
  const auto add = [&](std::string_view name, std::string_view value) {
    headers_[count++] = {name, value};
  };
  const auto add_number = [&](std::string_view name, std::uint64_t value) {
    char* const end = std::to_chars(free, numbers_.data() + numbers_.size(), value).ptr;
    add(name, {free, static_cast<std::size_t>(end - free)});
    free = end;
  };
  const auto add_if_any = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) add(name, value);
  };
  time_ = core::format_iso8601(event.time);
  add(kSpecVersion, "1.0");
  add(kId, event.id);
  add(kSource, event.source);
  add(kType, event.type);
  add(kTime, time_);
  add_number(kPosition, event.position.value());
  add_number(kStreamVersion, event.version.value());
  add_number(kSchemaVersion, event.schema_version.value());
  if (is_private) add(kPrivate, "true");
  add_if_any(kCorrelationId, event.metadata.correlation_id);
  add_if_any(kCausationId, event.metadata.causation_id);
  add_if_any(kTraceparent, event.metadata.traceparent);
  return {event.stream.value(),
          is_private ? std::string_view() : std::string_view(event.data),
          {headers_.data(), count}};
}

core::Result<RecordedEvent> decode(const RecordView& record, core::LogIndex log) {
  RecordedEvent event;
  const core::Status read = decode_into(event, record, log);
  if (!read) return read.error();
  return event;
}

core::Status decode_into(RecordedEvent& event, const RecordView& record, core::LogIndex log) {
  const Found found(record);
  if (found.spec_version != "1.0") return malformed(kSpecVersion);
  if (found.id.empty()) return malformed(kId);
  if (found.source.empty()) return malformed(kSource);
  if (found.type.empty()) return malformed(kType);
  const auto time = core::parse_iso8601(found.time);
  if (!time) return malformed(kTime);
  const auto position = number<std::uint64_t>(found.position);
  if (!position || *position == 0) return malformed(kPosition);
  const auto version = number<std::uint64_t>(found.stream_version);
  if (!version || *version == 0) return malformed(kStreamVersion);
  const auto schema_version = number<std::uint32_t>(found.schema_version);
  if (!schema_version) return malformed(kSchemaVersion);
  if (found.is_private != "true" && found.is_private != "false") return malformed(kPrivate);
  if (record.key.empty()) return core::invalid_input("no event: the record has no key");
  event.id = found.id;
  event.source = found.source;
  event.type = found.type;
  event.schema_version = core::SchemaVersion(*schema_version);
  std::string stream = std::move(event.stream).value();
  event.stream = core::StreamId(std::move(stream.assign(record.key)));
  event.version = core::StreamVersion(*version);
  event.log = log;
  event.position = core::LogPosition(*position);
  event.time = *time;
  event.metadata.correlation_id = found.correlation_id;
  event.metadata.causation_id = found.causation_id;
  event.metadata.traceparent = found.traceparent;
  event.data = record.value;
  event.visibility = found.is_private == "true" ? Visibility::Private : Visibility::Public;
  return core::success();
}

}  // namespace tideline::kafka
