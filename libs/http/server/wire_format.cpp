#include "http/server/wire_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "http/messages/body_source.hpp"

namespace tideline::http {
namespace {

constexpr std::array<std::string_view, 6> kServerFields{"Connection",   "Content-Length",
                                                        "Date",         "Transfer-Encoding",
                                                        "X-Request-Id", "X-Correlation-Id"};

bool is_server_field(std::string_view name) {
  return std::any_of(kServerFields.begin(), kServerFields.end(),
                     [&](std::string_view field) { return equal_ignoring_case(field, name); });
}

void put(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string format_http_date(core::Timestamp time) {
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
      kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
      kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

namespace {

// Thousands of answers a second have one date.
const std::string& http_date_of(core::Timestamp time) {
  thread_local std::chrono::sys_seconds known{};
  thread_local std::string text;
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  if (text.empty() || second != known) {
    known = second;
    text = format_http_date(time);
  }
  return text;
}

}  // namespace

std::string to_wire(const Response& response, const WireContext& context) {
  const bool bodiless = response.status == 204 || response.status == 304;
  std::string out;
  out.reserve(512 + response.body.size());
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason_phrase(response.status)).append("\r\n");
  put(out, "Date", http_date_of(context.now));
  for (const auto& [name, value] : response.headers) {
    if (!is_server_field(name)) put(out, name, value);
  }
  if (!response.headers.find("Cache-Control")) put(out, "Cache-Control", "no-store");
  if (response.events && !context.http_1_0) put(out, "Transfer-Encoding", "chunked");
  if (!bodiless && !response.events) {
    const std::uint64_t unread = response.source ? response.source->left() : 0;
    put(out, "Content-Length", std::to_string(response.body.size() + unread));
  }
  if (!context.request_id.empty()) put(out, "X-Request-Id", context.request_id);
  if (!context.correlation_id.empty()) put(out, "X-Correlation-Id", context.correlation_id);
  if (!context.keep_alive) put(out, "Connection", "close");
  if (context.stopping) put(out, kStoppingHeader, "1");
  if (context.keep_alive && context.http_1_0) put(out, "Connection", "keep-alive");
  out.append("\r\n");
  if (!bodiless && !context.head_only) out.append(response.body);
  return out;
}

std::string to_chunk(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::array<char, 32> size{};
  const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  std::string out(size.data(), static_cast<std::size_t>(length));
  return out.append(bytes).append("\r\n");
}

}  // namespace tideline::http
