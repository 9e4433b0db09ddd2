// W3C Trace Context, level 1: the header `traceparent`, which ties together what one request causes
// in several services, and `tracestate` (trace_state.hpp), which goes along with it. Requests and
// events carry both as one text, wherever a member or a column is called traceparent: the second
// means nothing without the first, is seldom there, and is looked at by nobody on the way:
//
//   00-<trace id>-<span id>-<flags>
//   00-<trace id>-<span id>-<flags> <tracestate>
//
// Values; functions are pure or draw from the given Random, callable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/random.hpp"

namespace tideline::core {

class TraceContext {
 public:
  using TraceId = std::array<std::uint8_t, 16>;
  using SpanId = std::array<std::uint8_t, 8>;

  // The two headers. nullopt for a traceparent that is malformed, or has the ids of zeros that the
  // standard forbids; a later version than 00 is read by what 00 defines. Of `tracestate`, several
  // lines of which are joined by commas, what is sound is kept.
  static std::optional<TraceContext> parse(std::string_view traceparent,
                                           std::string_view tracestate = {});
  // What text() gave.
  static std::optional<TraceContext> read(std::string_view text);

  // The first span of a new trace.
  static TraceContext start(Random& random, bool sampled = false);

  // A new span of the same trace, with its state.
  TraceContext child(Random& random) const;

  // "00-<trace id>-<span id>-<flags>", lower case.
  std::string traceparent() const;
  const std::string& tracestate() const { return tracestate_; }  // "" = none
  std::string text() const;

  std::string trace_id() const;  // 32 hexadecimal characters
  std::string span_id() const;   // 16
  bool sampled() const { return (flags_ & 1U) != 0; }

  friend bool operator==(const TraceContext&, const TraceContext&) = default;

 private:
  TraceContext(const TraceId& trace_id, const SpanId& span_id, std::uint8_t flags,
               std::string tracestate)
      : trace_id_(trace_id), span_id_(span_id), flags_(flags), tracestate_(std::move(tracestate)) {}

  TraceId trace_id_;
  SpanId span_id_;
  std::uint8_t flags_;
  std::string tracestate_;
};

// A trace's text as the two headers, whatever stands there: join() gives the text back. Refers to
// the text.
struct TraceHeaders {
  std::string_view traceparent;
  std::string_view tracestate;  // "" = none

  static TraceHeaders split(std::string_view text);
  // Into a string that is filled again.
  void join(std::string& text) const;
};

// The trace id within a well-formed trace's text, else "". Refers to the text.
std::string_view trace_id_of(std::string_view text);

}  // namespace tideline::core
