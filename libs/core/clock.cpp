#include "core/clock.hpp"

#include <ctime>

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
  constexpr std::size_t kDigits = 6;
  if (text.size() < 2 || text.size() > 1 + kDigits || text[0] != '.') return std::nullopt;
  const auto value = number(text.substr(1));
  if (!value) return std::nullopt;
  microseconds fraction(*value);
  for (std::size_t digits = text.size() - 1; digits < kDigits; ++digits) fraction *= 10;
  return fraction;
}

// Every event is published with its time: hence not snprintf.
void append_digits(std::string& text, long value, int digits) {
  text.resize(text.size() + static_cast<std::size_t>(digits));
  for (auto place = text.rbegin(); digits > 0; ++place, --digits, value /= 10) {
    *place = static_cast<char>('0' + value % 10);
  }
}

void append_day(std::string& text, Day day) {
  const std::chrono::year_month_day date(day);
  const int year = static_cast<int>(date.year());
  if (year >= 0 && year <= 9999) {
    append_digits(text, year, 4);
  } else {
    text += std::to_string(year);
  }
  text.push_back('-');
  append_digits(text, static_cast<unsigned>(date.month()), 2);
  text.push_back('-');
  append_digits(text, static_cast<unsigned>(date.day()), 2);
}

}  // namespace

Timestamp SystemClock::now() const {
  return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

std::string format_iso8601(Timestamp time) {
  const Day day = utc_day(time);
  const std::chrono::hh_mm_ss<microseconds> clock(time - day);
  std::string text;
  text.reserve(std::string_view("2026-01-02T03:04:05.678901Z").size());
  append_day(text, day);
  const auto append = [&](char before, long value, int digits) {
    text.push_back(before);
    append_digits(text, value, digits);
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
  std::string text;
  append_day(text, day);
  return text;
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

std::chrono::nanoseconds time_since_boot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace tideline::core
