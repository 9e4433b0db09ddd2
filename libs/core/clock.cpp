#include "core/clock.hpp"

#include <array>
#include <cstdio>

namespace tideline::core {
namespace {

using std::chrono::microseconds;

// Reads exactly `text` as a number without sign; nullopt otherwise.
std::optional<int> number(std::string_view text) {
  int value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return value;
}

std::optional<microseconds> parse_fraction(std::string_view text) {
  if (text.size() < 2 || text.size() > 7 || text[0] != '.') return std::nullopt;
  std::string digits(text.substr(1));
  digits.resize(6, '0');
  const auto value = number(digits);
  if (!value) return std::nullopt;
  return microseconds(*value);
}

}  // namespace

Timestamp SystemClock::now() const {
  return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

std::string format_iso8601(Timestamp time) {
  const Day day = utc_day(time);
  const std::chrono::hh_mm_ss<microseconds> clock(time - day);
  // Every event is published with its time: hence not snprintf.
  std::string text = format_day(day);
  const auto append = [&](char before, long value, int digits) {
    text.push_back(before);
    text.resize(text.size() + static_cast<std::size_t>(digits));
    for (auto place = text.rbegin(); digits > 0; ++place, --digits, value /= 10) {
      *place = static_cast<char>('0' + value % 10);
    }
  };
  append('T', clock.hours().count(), 2);
  append(':', clock.minutes().count(), 2);
  append(':', clock.seconds().count(), 2);
  append('.', clock.subseconds().count(), 6);
  text.push_back('Z');
  return text;
}

std::optional<Timestamp> parse_iso8601(std::string_view text) {
  if (text.size() < 20 || text.back() != 'Z' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const auto day = parse_day(text.substr(0, 10));
  const auto hours = number(text.substr(11, 2));
  const auto minutes = number(text.substr(14, 2));
  const auto seconds = number(text.substr(17, 2));
  if (!day || !hours || !minutes || !seconds) return std::nullopt;
  if (*hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  microseconds fraction{0};
  if (text.size() > 20) {
    const auto parsed = parse_fraction(text.substr(19, text.size() - 20));
    if (!parsed) return std::nullopt;
    fraction = *parsed;
  }
  return Timestamp(*day) + std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
         std::chrono::seconds(*seconds) + fraction;
}

std::string format_day(Day day) {
  const std::chrono::year_month_day date(day);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text.data();
}

std::optional<Day> parse_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(text.substr(0, 4));
  const auto month = number(text.substr(5, 2));
  const auto day = number(text.substr(8, 2));
  // There is no year 0, and the databases know none either.
  if (!year || !month || !day || *year < 1) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return Day(date);
}

Day utc_day(Timestamp time) { return std::chrono::floor<std::chrono::days>(time); }

}  // namespace tideline::core
