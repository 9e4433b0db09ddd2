// Ids, times, traces and encodings: each value has one text, and nothing else is taken.
#include "core/check.hpp"
#include "core/clock.hpp"
#include "core/encoding.hpp"
#include "core/ids.hpp"
#include "core/text.hpp"
#include "core/time_ordered_id.hpp"
#include "core/trace.hpp"
#include "core/trace_state.hpp"
#include "fuzz/input.hpp"
#include "http/messages/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  const std::string_view text = fuzz::as_text(data, size);
  if (const auto bytes = core::from_hex(text)) CHECK(core::to_hex(*bytes) == text, "hex");
  if (const auto bytes = core::from_base32(text)) CHECK(core::to_base32(*bytes) == text, "base32");
  if (const auto bytes = core::from_base64url(text)) {
    CHECK(core::to_base64url(*bytes) == text, "base64url");
  }
  if (const auto id = core::AccountId::parse(text)) CHECK(id->to_string() == text, "account id");
  if (const auto id = core::AccountId::parse_uuid(text)) {
    CHECK(core::AccountId::parse_uuid(id->to_uuid()) == id, "uuid");
  }
  if (const auto id = core::parse_moment_id(text)) CHECK(core::to_string(*id) == text, "moment id");
  if (core::is_time_ordered_id(text)) CHECK(text.size() == 26, "time-ordered id");
  if (const auto day = core::parse_day(text)) CHECK(core::format_day(*day) == text, "day");
  if (const auto time = core::parse_iso8601(text)) {
    // Fewer decimals are taken too, so the text may differ; the time may not.
    CHECK(core::parse_iso8601(core::format_iso8601(*time)) == time, "time");
  }
  if (const auto trace = core::TraceContext::read(text)) {
    CHECK(core::TraceContext::read(trace->text()) == trace, "trace");
  }
  const std::string state = core::sound_trace_state(text);
  CHECK(state.size() <= core::kTraceStateBytesMax, "a bounded trace state");
  CHECK(core::sound_trace_state(state) == state, "trace state");
  if (const auto normal = http::normalise_nfc(text)) {
    CHECK(core::code_points(*normal).has_value(), "NFC is UTF-8");
    CHECK(http::normalise_nfc(*normal) == normal, "NFC is its own NFC");
  }
  return 0;
}
