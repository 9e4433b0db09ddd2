// W3C Trace Context, level 1: the header `traceparent`, which ties together what one request causes
// in several services. It travels with requests, events and logs.
//
// Values; functions are pure or draw from the given Random, callable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/random.hpp"

namespace tideline::core {

class TraceContext {
 public:
  using TraceId = std::array<std::uint8_t, 16>;
  using SpanId = std::array<std::uint8_t, 8>;

  // nullopt for anything malformed, and for the ids of zeros that the standard forbids. A later
  // version than 00 is read by what 00 defines.
  static std::optional<TraceContext> parse(std::string_view traceparent);

  // The first span of a new trace.
  static TraceContext start(Random& random, bool sampled = false);

  // A new span of the same trace.
  TraceContext child(Random& random) const;

  // "00-<trace id>-<span id>-<flags>", lower case.
  std::string traceparent() const;

  std::string trace_id() const;  // 32 hexadecimal characters
  std::string span_id() const;   // 16
  bool sampled() const { return (flags_ & 1U) != 0; }

  friend bool operator==(const TraceContext&, const TraceContext&) = default;

 private:
  TraceContext(const TraceId& trace_id, const SpanId& span_id, std::uint8_t flags)
      : trace_id_(trace_id), span_id_(span_id), flags_(flags) {}

  TraceId trace_id_;
  SpanId span_id_;
  std::uint8_t flags_;
};

// The trace id within a well-formed traceparent, else "". Refers to the text.
std::string_view trace_id_of(std::string_view traceparent);

}  // namespace tideline::core
