#include "observability/trace.hpp"

#include <algorithm>

#include "core/encoding.hpp"

namespace tideline::observability {
namespace {

constexpr std::size_t kTextBytes = 55;

template <class Id>
bool read_id(std::string_view hex, Id& id) {
  const std::optional<core::Bytes> bytes = core::from_hex(hex);
  if (!bytes || bytes->size() != id.size()) return false;
  std::copy(bytes->begin(), bytes->end(), id.begin());
  return std::any_of(id.begin(), id.end(), [](std::uint8_t byte) { return byte != 0; });
}

// All zeros means "none" in the standard.
template <class Id>
Id draw_id(core::Random& random) {
  Id id{};
  do {
    random.fill(id);
  } while (std::all_of(id.begin(), id.end(), [](std::uint8_t byte) { return byte == 0; }));
  return id;
}

}  // namespace

std::optional<TraceContext> TraceContext::parse(std::string_view traceparent) {
  if (traceparent.size() < kTextBytes) return std::nullopt;
  const std::optional<core::Bytes> version = core::from_hex(traceparent.substr(0, 2));
  if (!version || version->front() == 0xff) return std::nullopt;
  const bool longer = traceparent.size() > kTextBytes;
  if (longer && (version->front() == 0 || traceparent[kTextBytes] != '-')) return std::nullopt;
  if (traceparent[2] != '-' || traceparent[35] != '-' || traceparent[52] != '-') {
    return std::nullopt;
  }
  TraceId trace_id{};
  SpanId span_id{};
  const std::optional<core::Bytes> flags = core::from_hex(traceparent.substr(53, 2));
  if (!read_id(traceparent.substr(3, 32), trace_id)) return std::nullopt;
  if (!read_id(traceparent.substr(36, 16), span_id) || !flags) return std::nullopt;
  // Bits other than "sampled" are not defined: they are not passed on.
  return TraceContext(trace_id, span_id, static_cast<std::uint8_t>(flags->front() & 1U));
}

TraceContext TraceContext::start(core::Random& random, bool sampled) {
  return TraceContext(draw_id<TraceId>(random), draw_id<SpanId>(random), sampled ? 1 : 0);
}

TraceContext TraceContext::continue_from(std::string_view traceparent, core::Random& random) {
  const std::optional<TraceContext> parent = parse(traceparent);
  return parent ? parent->child(random) : start(random);
}

TraceContext TraceContext::child(core::Random& random) const {
  return TraceContext(trace_id_, draw_id<SpanId>(random), flags_);
}

std::string TraceContext::traceparent() const {
  return "00-" + trace_id() + "-" + span_id() + (sampled() ? "-01" : "-00");
}

std::string TraceContext::trace_id() const { return core::to_hex(trace_id_); }
std::string TraceContext::span_id() const { return core::to_hex(span_id_); }

}  // namespace tideline::observability
