#include "kafka/envelope.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "core/trace.hpp"

namespace tideline::kafka {
namespace {

using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;

constexpr std::string_view kSpecVersion = "ce_specversion";
constexpr std::string_view kId = "ce_id";
constexpr std::string_view kSource = "ce_source";
constexpr std::string_view kType = "ce_type";
constexpr std::string_view kTime = "ce_time";
constexpr std::string_view kOwn = "ce_tideline";
constexpr std::string_view kOlderOwn = "tideline";  // of records that older programs wrote
constexpr std::string_view kTraceparent = "traceparent";
constexpr std::string_view kTracestate = "tracestate";

// In the header `ce_tideline`.
constexpr std::string_view kPosition = "position";
constexpr std::string_view kStreamVersion = "stream_version";
constexpr std::string_view kSchemaVersion = "schema_version";
constexpr std::string_view kPrivate = "private";
constexpr std::string_view kCorrelationId = "correlation_id";
constexpr std::string_view kCausationId = "causation_id";
constexpr std::string_view kSeen = "seen";

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Of a position or a version: 1 to what a bigint of PostgreSQL holds.
std::optional<std::uint64_t> event_number(std::string_view text) {
  const auto value = number<std::int64_t>(text);
  if (!value || *value < 1) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

core::Error malformed(std::string_view what) {
  return core::invalid_input("no event: " + std::string(what) + " is missing or cannot be read");
}

bool stands_for_itself(char c) { return c > 0x20 && c < 0x7f && c != '%'; }

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto* const plain_end = std::find_if_not(text.begin(), text.end(), stands_for_itself);
  out.append(text.begin(), plain_end);
  for (const char c : std::string_view(plain_end, text.end())) {
    if (stands_for_itself(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
}

// False where there is no byte behind a percent sign.
bool unescape(std::string_view text, std::string& out) {
  out = text.substr(0, text.find('%'));
  text.remove_prefix(out.size());
  while (!text.empty()) {
    std::uint8_t byte = 0;
    const char* const digits = text.data() + 1;
    if (text.front() != '%') {
      out.push_back(text.front());
      text.remove_prefix(1);
    } else if (text.size() > 2 && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out.push_back(static_cast<char>(byte));
      text.remove_prefix(3);
    } else {
      return false;
    }
  }
  return true;
}

// The header `ce_tideline`. Of what is repeated the last counts.
struct OwnFields {
  std::string_view position, stream_version, schema_version, correlation_id, causation_id, seen;
  std::string_view is_private = "false";

  explicit OwnFields(std::string_view text) {
    while (!text.empty()) {
      const std::string_view field = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), field.size() + 1));
      const std::size_t equals = field.find('=');
      if (equals == std::string_view::npos) continue;
      if (std::string_view* place = place_of(field.substr(0, equals))) {
        *place = field.substr(equals + 1);
      }
    }
  }

 private:
  std::string_view* place_of(std::string_view name) {
    if (name == kPosition) return &position;
    if (name == kStreamVersion) return &stream_version;
    if (name == kSchemaVersion) return &schema_version;
    if (name == kPrivate) return &is_private;
    if (name == kCorrelationId) return &correlation_id;
    if (name == kCausationId) return &causation_id;
    return name == kSeen ? &seen : nullptr;
  }
};

// The headers that matter, in one pass; of a repeated header the last counts.
struct Found {
  std::string_view spec_version, id, source, type, time, own, traceparent, tracestate;

  explicit Found(const RecordView& record) {
    for (const HeaderView& header : record.headers) {
      if (std::string_view* place = place_of(header.name)) *place = header.value;
    }
  }

 private:
  // By length first: few of the names have the same.
  std::string_view* place_of(std::string_view name) {
    switch (name.size()) {
      case kOlderOwn.size():
        return name == kOlderOwn ? &own : nullptr;
      case kTracestate.size():
        return name == kTracestate ? &tracestate : nullptr;
      case kTraceparent.size():
        static_assert(kTraceparent.size() == kOwn.size());
        if (name == kOwn) return &own;
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
  const auto add = [&](std::string_view name, std::string_view value) {
    headers_[count++] = {name, value};
  };
  time_ = core::format_iso8601(event.time);
  write_own(event);
  add(kSpecVersion, "1.0");
  add(kId, event.id);
  add(kSource, event.source);
  add(kType, event.type);
  add(kTime, time_);
  add(kOwn, own_);
  const auto trace = core::TraceHeaders::split(event.metadata.traceparent);
  if (!trace.traceparent.empty()) add(kTraceparent, trace.traceparent);
  if (!trace.tracestate.empty()) add(kTracestate, trace.tracestate);
  return {event.stream.value(),
          is_private ? std::string_view() : std::string_view(event.data),
          {headers_.data(), count}};
}

void Encoder::write_own(const RecordedEvent& event) {
  own_.clear();
  const auto begin = [&](std::string_view name) {
    if (!own_.empty()) own_.push_back(' ');
    own_.append(name).push_back('=');
  };
  const auto add_number = [&](std::string_view name, std::uint64_t value) {
    begin(name);
    std::array<char, 20> digits;
    own_.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  };
  const auto add_if_any = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    begin(name);
    append_escaped(own_, text);
  };
  add_number(kPosition, event.position.value());
  add_number(kStreamVersion, event.version.value());
  add_number(kSchemaVersion, event.schema_version.value());
  if (event.visibility == Visibility::Private) add_if_any(kPrivate, "true");
  add_if_any(kCorrelationId, event.metadata.correlation_id);
  add_if_any(kCausationId, event.metadata.causation_id);
  add_if_any(kSeen, event.metadata.seen);
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
  const OwnFields own(found.own);
  const auto position = event_number(own.position);
  if (!position) return malformed(kPosition);
  const auto version = event_number(own.stream_version);
  if (!version) return malformed(kStreamVersion);
  const auto schema_version = number<std::uint32_t>(own.schema_version);
  if (!schema_version) return malformed(kSchemaVersion);
  if (own.is_private != "true" && own.is_private != "false") return malformed(kPrivate);
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
  if (!unescape(own.correlation_id, event.metadata.correlation_id))
    return malformed(kCorrelationId);
  if (!unescape(own.causation_id, event.metadata.causation_id)) return malformed(kCausationId);
  if (!unescape(own.seen, event.metadata.seen)) return malformed(kSeen);
  core::TraceHeaders{found.traceparent, found.tracestate}.join(event.metadata.traceparent);
  event.data = record.value;
  event.visibility = own.is_private == "true" ? Visibility::Private : Visibility::Public;
  return core::success();
}

}  // namespace tideline::kafka
