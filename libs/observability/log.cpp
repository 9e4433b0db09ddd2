#include "observability/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tideline::observability {
namespace {

constexpr std::array<std::string_view, 13> kWithheld = {
    "body",      "password", "token", "authorization", "cookie",  "secret",      "password_hash",
    "real_name", "email",    "text",  "content",       "profile", "introduction"};
constexpr std::array<std::string_view, 8> kReserved = {
    "time", "level", "service", "logger", "message", "request_id", "correlation_id", "trace_id"};

thread_local const LogContext* innermost_context = nullptr;

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::Debug:
      return spdlog::level::debug;
    case Level::Info:
      return spdlog::level::info;
    case Level::Warning:
      return spdlog::level::warn;
    case Level::Error:
      return spdlog::level::err;
    case Level::Off:
      break;
  }
  return spdlog::level::off;
}

// Hands finished lines to a function; base_sink serializes the calls.
class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    write_({message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

  std::function<void(std::string_view)> write_;
};

spdlog::sink_ptr make_sink(const std::string& file, std::function<void(std::string_view)> write) {
  if (write) return std::make_shared<FunctionSink>(std::move(write));
  if (!file.empty()) {
    try {
      auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, kFileBytesMax,
                                                                         kFilesMax, true);
      sink->set_pattern("%v");
      return sink;
    } catch (const spdlog::spdlog_ex& error) {
      throw std::runtime_error(error.what());
    }
  }
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  sink->set_pattern("%v");
  return sink;
}

bool is_withheld(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::any_of(kWithheld.begin(), kWithheld.end(), [&](std::string_view withheld) {
    return lower == withheld || lower.ends_with("_" + std::string(withheld));
  });
}

std::string to_json(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_json(std::string_view text) {
  if (text.size() <= kFieldBytesMax) return to_json(nlohmann::json(text));
  return to_json(nlohmann::json(std::string(text.substr(0, kFieldBytesMax)) + "..."));
}

}  // namespace

// Writes one line; knows the order of members and what may not be said.
struct LineWriter {
  std::string line = "{";

  void raw(std::string_view name, std::string_view json) {
    if (line.size() > 1) line += ',';
    line += to_json(name);
    line += ':';
    line += json;
  }
  void text(std::string_view name, std::string_view value) { raw(name, to_json(value)); }

  void context() {
    if (innermost_context == nullptr) return;
    const LogIds& ids = innermost_context->ids_;
    if (!ids.request_id.empty()) text("request_id", ids.request_id);
    if (!ids.correlation_id.empty()) text("correlation_id", ids.correlation_id);
    if (!ids.trace_id.empty()) text("trace_id", ids.trace_id);
  }

  void field(const Field& field) {
    std::string name(field.name);
    // A second member of one name is read by some parsers as the first, by others as the last.
    if (std::find(kReserved.begin(), kReserved.end(), field.name) != kReserved.end()) name += '_';
    if (is_withheld(field.name)) return text(name, "[withheld]");
    std::visit([&](const auto& value) { raw(name, to_json(value)); }, field.value.variant());
  }
};

std::optional<Level> parse_level(std::string_view text) {
  if (text == "debug") return Level::Debug;
  if (text == "info") return Level::Info;
  if (text == "warning" || text == "warn") return Level::Warning;
  if (text == "error") return Level::Error;
  if (text == "off") return Level::Off;
  return std::nullopt;
}

std::string_view to_string(Level level) {
  switch (level) {
    case Level::Debug:
      return "debug";
    case Level::Info:
      return "info";
    case Level::Warning:
      return "warning";
    case Level::Error:
      return "error";
    case Level::Off:
      break;
  }
  return "off";
}

std::span<const std::string_view> withheld_fields() { return kWithheld; }

struct Log::Logger {
  std::string service;
  std::string name;
  Level level;
  const core::Clock& clock;
  std::shared_ptr<spdlog::logger> output;
};

bool Log::enabled(Level level) const {
  return logger_ && level != Level::Off && level >= logger_->level;
}

void Log::write(Level level, std::string_view message, Fields fields) const {
  if (!enabled(level)) return;
  LineWriter writer;
  writer.text("time", core::format_iso8601(logger_->clock.now()));
  writer.text("level", to_string(level));
  writer.text("service", logger_->service);
  writer.text("logger", logger_->name);
  writer.text("message", message);
  writer.context();
  for (const Field& field : fields) writer.field(field);
  writer.line += '}';
  logger_->output->log(to_spdlog(level), spdlog::string_view_t(writer.line));
}

void Log::debug(std::string_view message, Fields fields) const {
  write(Level::Debug, message, fields);
}
void Log::info(std::string_view message, Fields fields) const {
  write(Level::Info, message, fields);
}
void Log::warning(std::string_view message, Fields fields) const {
  write(Level::Warning, message, fields);
}
void Log::error(std::string_view message, Fields fields) const {
  write(Level::Error, message, fields);
}

struct Logging::State {
  LoggingOptions options;
  const core::Clock& clock;
  spdlog::sink_ptr sink;
};

Logging::Logging(LoggingOptions options, const core::Clock& clock) {
  spdlog::sink_ptr sink = make_sink(options.file, std::move(options.sink));
  state_ = std::make_shared<const State>(State{std::move(options), clock, std::move(sink)});
}

Logging::~Logging() = default;

Log Logging::logger(std::string_view name) const {
  const LoggingOptions& options = state_->options;
  const auto exception = options.level_by_logger.find(std::string(name));
  const Level level =
      exception == options.level_by_logger.end() ? options.level : exception->second;
  auto output = std::make_shared<spdlog::logger>(std::string(name), state_->sink);
  output->set_level(to_spdlog(level));
  output->flush_on(spdlog::level::debug);
  return Log(std::make_shared<const Log::Logger>(
      Log::Logger{options.service, std::string(name), level, state_->clock, std::move(output)}));
}

LogContext::LogContext(LogIds ids) : ids_(std::move(ids)), outer_(innermost_context) {
  innermost_context = this;
}

LogContext::LogContext(std::string request_id, std::string correlation_id)
    : LogContext(LogIds{std::move(request_id), std::move(correlation_id), ""}) {}

LogContext::~LogContext() { innermost_context = outer_; }

LogIds LogContext::current() {
  return innermost_context == nullptr ? LogIds{} : innermost_context->ids_;
}

}  // namespace tideline::observability
