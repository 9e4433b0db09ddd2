#include "core/trace.hpp"

#include <algorithm>

#include "core/encoding.hpp"
#include "core/trace_state.hpp"

namespace tideline::core {
namespace {

constexpr std::size_t kTextBytes = 55;

template <class Id>
bool read_id(std::string_view hex, Id& id) {
  const std::optional<Bytes> bytes = from_hex(hex);
  if (!bytes || bytes->size() != id.size()) return false;
  std::copy(bytes->begin(), bytes->end(), id.begin());
  return std::any_of(id.begin(), id.end(), [](std::uint8_t byte) { return byte != 0; });
}

// All zeros means "none" in the standard.
template <class Id>
Id draw_id(Random& random) {
  Id id{};
  do {
    random.fill(id);
  } while (std::all_of(id.begin(), id.end(), [](std::uint8_t byte) { return byte == 0; }));
  return id;
}

void append_state(std::string& text, std::string_view tracestate) {
  if (!tracestate.empty()) text.append(1, ' ').append(tracestate);
}

}  // namespace

std::optional<TraceContext> TraceContext::parse(std::string_view traceparent,
                                                std::string_view tracestate) {
  if (traceparent.size() < kTextBytes) return std::nullopt;
  const std::optional<Bytes> version = from_hex(traceparent.substr(0, 2));
  if (!version || version->front() == 0xff) return std::nullopt;
  const bool longer = traceparent.size() > kTextBytes;
  if (longer && (version->front() == 0 || traceparent[kTextBytes] != '-')) return std::nullopt;
  if (traceparent[2] != '-' || traceparent[35] != '-' || traceparent[52] != '-') {
    return std::nullopt;
  }
  TraceId trace_id{};
  SpanId span_id{};
  const std::optional<Bytes> flags = from_hex(traceparent.substr(53, 2));
  if (!read_id(traceparent.substr(3, 32), trace_id)) return std::nullopt;
  if (!read_id(traceparent.substr(36, 16), span_id) || !flags) return std::nullopt;
  // Bits other than "sampled" are not defined: they are not passed on.
  return TraceContext(trace_id, span_id, static_cast<std::uint8_t>(flags->front() & 1U),
                      sound_trace_state(tracestate));
}

std::optional<TraceContext> TraceContext::read(std::string_view text) {
  const TraceHeaders headers = TraceHeaders::split(text);
  return parse(headers.traceparent, headers.tracestate);
}

TraceContext TraceContext::start(Random& random, bool sampled) {
  return TraceContext(draw_id<TraceId>(random), draw_id<SpanId>(random), sampled ? 1 : 0, "");
}

TraceContext TraceContext::child(Random& random) const {
  return TraceContext(trace_id_, draw_id<SpanId>(random), flags_, tracestate_);
}

std::string TraceContext::traceparent() const {
  std::string text;
  text.reserve(kTextBytes);
  text.append("00-").append(trace_id()).append("-").append(span_id());
  return text.append(sampled() ? "-01" : "-00");
}

std::string TraceContext::text() const {
  std::string text = traceparent();
  append_state(text, tracestate_);
  return text;
}

std::string TraceContext::trace_id() const { return to_hex(trace_id_); }
std::string TraceContext::span_id() const { return to_hex(span_id_); }

// A blank with nothing behind it belongs to the first part: it would not come back otherwise.
TraceHeaders TraceHeaders::split(std::string_view text) {
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos || blank + 1 == text.size()) return {text, {}};
  return {text.substr(0, blank), text.substr(blank + 1)};
}

void TraceHeaders::join(std::string& text) const {
  text.assign(traceparent);
  append_state(text, tracestate);
}

std::string_view trace_id_of(std::string_view text) {
  const std::string_view traceparent = TraceHeaders::split(text).traceparent;
  return TraceContext::parse(traceparent) ? traceparent.substr(3, 32) : std::string_view();
}

}  // namespace tideline::core
