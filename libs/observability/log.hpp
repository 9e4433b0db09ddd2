// Logs: one JSON object a line on stderr or in a file, for machines first.
//
//   {"time":"2026-01-02T03:04:05.678901Z","level":"info","service":"feed","logger":"relay",
//    "message":"caught up","request_id":"...","log":3}
//
// A message is a constant text; what varies goes into fields. Request bodies, credentials and what
// people wrote are never logged: fields with the names of withheld_fields() lose their value, and
// longer values than kFieldBytesMax are cut, so that a slip cannot leak much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/clock.hpp"

namespace tideline::observability {

enum class Level { Debug, Info, Warning, Error, Off };

// "debug", "info", "warning" (or "warn"), "error", "off".
std::optional<Level> parse_level(std::string_view text);
std::string_view to_string(Level level);

constexpr std::size_t kFieldBytesMax = 1024;

constexpr std::size_t kFileBytesMax = 10'000'000;
constexpr std::size_t kFilesMax = 5;

// Names whose values are replaced: body, password, token, authorization and the like; also as the
// end of a name ("refresh_token").
std::span<const std::string_view> withheld_fields();

class FieldValue {
 public:
  FieldValue(const char* text) : value_(std::string_view(text)) {}
  FieldValue(std::string_view text) : value_(text) {}
  FieldValue(const std::string& text) : value_(std::string_view(text)) {}
  template <class T>
  requires std::is_arithmetic_v<T> FieldValue(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      value_ = number;
    } else if constexpr (std::is_floating_point_v<T>) {
      value_ = static_cast<double>(number);
    } else if constexpr (std::is_signed_v<T>) {
      value_ = static_cast<std::int64_t>(number);
    } else {
      value_ = static_cast<std::uint64_t>(number);
    }
  }

  using Variant = std::variant<std::string_view, bool, std::int64_t, std::uint64_t, double>;
  const Variant& variant() const { return value_; }

 private:
  Variant value_;
};

// Refers to its texts: for the length of the call only.
struct Field {
  std::string_view name;
  FieldValue value;
};
using Fields = std::initializer_list<Field>;

// A cheap handle, copied freely; thread-safe. Blocks as stderr does. A default one drops all lines.
class Log {
 public:
  Log() = default;

  void debug(std::string_view message, Fields fields = {}) const;
  void info(std::string_view message, Fields fields = {}) const;
  void warning(std::string_view message, Fields fields = {}) const;
  void error(std::string_view message, Fields fields = {}) const;
  void write(Level level, std::string_view message, Fields fields = {}) const;

  // For fields that cost something to compute.
  bool enabled(Level level) const;

 private:
  friend class Logging;
  struct Logger;
  explicit Log(std::shared_ptr<const Logger> logger) : logger_(std::move(logger)) {}

  std::shared_ptr<const Logger> logger_;
};

struct LoggingOptions {
  std::string service;
  Level level = Level::Info;
  // Exceptions from `level` by the logger's name.
  std::map<std::string, Level> level_by_logger;
  // Takes each finished line, without its newline, one at a time. Empty: the file, or stderr.
  std::function<void(std::string_view line)> sink;
  // Where lines go in place of stderr; "": nowhere else. At kFileBytesMax, and when the process
  // starts, it becomes <file>.1, that one <file>.2, and so on up to kFilesMax; the oldest goes.
  std::string file{};
};

// One per process, made by the one that composes it; its logs may outlive it.
class Logging {
 public:
  // `clock` must outlive every log. Throws std::runtime_error for a file that cannot be written.
  explicit Logging(LoggingOptions options, const core::Clock& clock);
  ~Logging();
  Logging(const Logging&) = delete;
  Logging& operator=(const Logging&) = delete;

  // Name of a part: "relay", "http", "projection".
  Log logger(std::string_view name) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

struct LogIds {
  std::string request_id;
  std::string correlation_id;
  std::string trace_id;
};

// While it lives, every line that this thread logs carries these ids (those that are not empty).
// Scopes nest; they must end in reverse order, in the thread that began them.
class LogContext {
 public:
  explicit LogContext(LogIds ids);
  LogContext(std::string request_id, std::string correlation_id);
  ~LogContext();
  LogContext(const LogContext&) = delete;
  LogContext& operator=(const LogContext&) = delete;

  // What to hand to another thread that goes on with this one's work. Empty outside of any scope.
  static LogIds current();

 private:
  friend struct LineWriter;
  LogIds ids_;
  const LogContext* outer_;
};

}  // namespace tideline::observability
