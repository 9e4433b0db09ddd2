// Time as a port. Only the edge asks a Clock; domains are given their time with the command.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace tideline::core {

// Microseconds since 1970-01-01T00:00:00Z: the resolution of PostgreSQL's timestamptz, so that a
// time comes back from every store as it went in.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;
using Day = std::chrono::sys_days;

// Thread-safe, never blocks.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
};

// Since the machine was started. Goes on while the process is stopped and while the machine sleeps,
// and nobody sets it: what a lease is measured by. Never blocks.
std::chrono::nanoseconds time_since_boot();

// Stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start) : now_(start.time_since_epoch().count()) {}
  Timestamp now() const override { return Timestamp(std::chrono::microseconds(now_.load())); }
  void advance(std::chrono::microseconds by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_;
};

// "2026-01-02T03:04:05.678901Z": always six decimals, so that texts order like times.
std::string format_iso8601(Timestamp time);
// Exactly that form, with one to six decimals or none; nullopt otherwise.
std::optional<Timestamp> parse_iso8601(std::string_view text);

// "2026-01-02"
std::string format_day(Day day);
std::optional<Day> parse_day(std::string_view text);

// The UTC day of a time: message buckets are cut by it.
Day utc_day(Timestamp time);

// Which calendar day a time falls on at the campus: once-a-day rules and calendars go by it.
// Thread-safe, deterministic: the same time always gives the same day.
class CampusCalendar {
 public:
  virtual ~CampusCalendar() = default;
  virtual Day day_of(Timestamp time) const = 0;
};

// A campus that lives by UTC.
class UtcCalendar final : public CampusCalendar {
 public:
  Day day_of(Timestamp time) const override { return utc_day(time); }
};
inline const UtcCalendar kUtcCalendar{};

}  // namespace tideline::core
