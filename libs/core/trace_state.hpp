// W3C Trace Context, level 1: the header `tracestate`, in which each tracing system that a trace
// has passed may keep a few words of its own. They mean nothing here, and go on with the trace.
//
// Pure, callable from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tideline::core {

inline constexpr std::size_t kTraceStateMembersMax = 32;
// As many as the standard asks everybody to pass on.
inline constexpr std::size_t kTraceStateBytesMax = 512;

// What is passed on of a header, several lines of which were joined by commas: its members in their
// order, without the blanks around them and without empty ones. "" for one that breaks a rule: more
// members than kTraceStateMembersMax, a malformed one, a key that stands there twice. Of more bytes
// than kTraceStateBytesMax the members of more than 128 bytes go first, from the end, and then the
// last ones, until the rest fits.
std::string sound_trace_state(std::string_view text);

}  // namespace tideline::core
