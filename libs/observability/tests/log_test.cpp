#include "observability/log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace tideline::observability {
namespace {

using nlohmann::json;

class LogTest : public testing::Test {
 protected:
  Logging make(Level level, std::map<std::string, Level> level_by_logger = {}) {
    return Logging({.service = "feed",
                    .level = level,
                    .level_by_logger = std::move(level_by_logger),
                    .sink = [this](std::string_view line) { lines.emplace_back(line); }},
                   clock);
  }
  json last() const { return json::parse(lines.back()); }

  core::ManualClock clock{*core::parse_iso8601("2026-01-02T03:04:05.678901Z")};
  std::vector<std::string> lines;
  Logging logging = make(Level::Info);
  Log log = logging.logger("relay");
};

TEST_F(LogTest, WritesOneJsonObjectALine) {
  log.info("caught up", {{"log", 3}, {"stream", "account-1"}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], R"({"time":"2026-01-02T03:04:05.678901Z","level":"info","service":"feed",)"
                      R"("logger":"relay","message":"caught up","log":3,"stream":"account-1"})");
}

TEST_F(LogTest, KeepsTheTypesOfFields) {
  const std::string text = "text";
  log.warning("types", {{"text_field", text},
                        {"view", std::string_view("view")},
                        {"yes", true},
                        {"negative", -1},
                        {"large", std::numeric_limits<std::uint64_t>::max()},
                        {"half", 0.5},
                        {"nan", std::nan("")}});
  const json line = last();
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["text_field"], "text");
  EXPECT_EQ(line["view"], "view");
  EXPECT_EQ(line["yes"], true);
  EXPECT_EQ(line["negative"], -1);
  EXPECT_EQ(line["large"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(line["half"], 0.5);
  EXPECT_TRUE(line["nan"].is_null());
}

TEST_F(LogTest, AnyTextStaysOneLineOfJson) {
  EXPECT_TRUE(rc::check("a line parses back and holds no newline",
                        [this](const std::string& message, const std::string& value) {
                          log.error(message, {{"value", value}, {value, 1}});
                          RC_ASSERT(lines.back().find('\n') == std::string::npos);
                          RC_ASSERT(last()["level"] == "error");
                        }));
  log.info("quote \" backslash \\ newline \n nul", {{"bytes", "\xff\xfe"}});
  EXPECT_EQ(last()["message"], "quote \" backslash \\ newline \n nul");
  EXPECT_EQ(last()["bytes"], "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_F(LogTest, WithholdsWhatMustNotBeLogged) {
  for (const std::string_view name : withheld_fields()) {
    log.info("slip", {{name, "hunter2"}});
    EXPECT_EQ(lines.back().find("hunter2"), std::string::npos) << name;
  }
  log.info("slip", {{"refresh_token", "hunter2"}, {"Authorization", "hunter2"}, {"PASSWORD", 2}});
  EXPECT_EQ(last()["refresh_token"], "[withheld]");
  EXPECT_EQ(last()["Authorization"], "[withheld]");
  EXPECT_EQ(last()["PASSWORD"], "[withheld]");
  log.info("no slip", {{"tokens", 2}, {"context", "x"}});
  EXPECT_EQ(last()["tokens"], 2);
  EXPECT_EQ(last()["context"], "x");
}

TEST_F(LogTest, CutsLongValues) {
  log.info(std::string(5000, 'm'), {{"value", std::string(5000, 'v')}});
  EXPECT_LT(lines.back().size(), 2 * kFieldBytesMax + 300);
  EXPECT_TRUE(last()["value"].get<std::string>().ends_with("v..."));
}

TEST_F(LogTest, FieldsCannotReplaceTheLinesOwnMembers) {
  log.info("real", {{"message", "forged"}, {"level", "error"}, {"time", "never"}});
  EXPECT_EQ(last()["message"], "real");
  EXPECT_EQ(last()["message_"], "forged");
  EXPECT_EQ(last()["level"], "info");
  EXPECT_EQ(last()["time_"], "never");
}

TEST_F(LogTest, LevelsFilter) {
  log.debug("dropped");
  EXPECT_TRUE(lines.empty());
  EXPECT_FALSE(log.enabled(Level::Debug));
  EXPECT_TRUE(log.enabled(Level::Error));

  const Logging quiet = make(Level::Error, {{"relay", Level::Debug}, {"chatty", Level::Off}});
  quiet.logger("other").warning("dropped");
  quiet.logger("chatty").error("dropped");
  EXPECT_TRUE(lines.empty());
  quiet.logger("other").error("kept");
  quiet.logger("relay").debug("kept");
  EXPECT_EQ(lines.size(), 2U);
  EXPECT_FALSE(log.enabled(Level::Off));
}

TEST_F(LogTest, ADefaultLogDropsEverything) {
  const Log nothing;
  nothing.error("dropped");
  EXPECT_FALSE(nothing.enabled(Level::Error));
}

TEST_F(LogTest, ALogOutlivesItsLogging) {
  Log survivor;
  {
    const Logging shortlived = make(Level::Info);
    survivor = shortlived.logger("late");
  }
  survivor.info("still here");
  EXPECT_EQ(last()["logger"], "late");
}

TEST_F(LogTest, LinesCarryTheIdsOfTheirContext) {
  EXPECT_EQ(LogContext::current().request_id, "");
  {
    const LogContext outer("request-1", "correlation-1");
    log.info("outer");
    EXPECT_EQ(last()["request_id"], "request-1");
    EXPECT_EQ(last()["correlation_id"], "correlation-1");
    EXPECT_FALSE(last().contains("trace_id"));
    {
      const LogContext inner(LogIds{"request-2", "", "trace-2"});
      log.info("inner");
      EXPECT_EQ(last()["request_id"], "request-2");
      EXPECT_FALSE(last().contains("correlation_id"));
      EXPECT_EQ(last()["trace_id"], "trace-2");
    }
    EXPECT_EQ(LogContext::current().request_id, "request-1");
  }
  log.info("after");
  EXPECT_FALSE(last().contains("request_id"));
}

TEST_F(LogTest, AContextBelongsToItsThread) {
  const LogContext context("request-1", "correlation-1");
  const LogIds ids = LogContext::current();
  std::jthread([&] {
    log.info("other thread");
    EXPECT_FALSE(last().contains("request_id"));
    const LogContext handed_over(ids);
    log.info("goes on");
    EXPECT_EQ(last()["correlation_id"], "correlation-1");
  }).join();
}

TEST_F(LogTest, ThreadsDoNotMixTheirLines) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) log.info("line", {{"number", i}});
    });
  }
  threads.clear();
  EXPECT_EQ(lines.size(), 400U);
  for (const std::string& line : lines) EXPECT_TRUE(json::accept(line));
}

TEST_F(LogTest, GoesToStderrByDefault) {
  testing::internal::CaptureStderr();
  Logging({.service = "feed", .level = Level::Info, .level_by_logger = {}, .sink = {}}, clock)
      .logger("main")
      .info("to stderr {} %s");
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(output.ends_with("\"message\":\"to stderr {} %s\"}\n")) << output;
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1);
}

TEST(LogLevelTest, ParsesItsOwnNames) {
  for (const Level level : {Level::Debug, Level::Info, Level::Warning, Level::Error, Level::Off}) {
    EXPECT_EQ(parse_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_level("warn"), Level::Warning);
  EXPECT_EQ(parse_level("INFO"), std::nullopt);
  EXPECT_EQ(parse_level(""), std::nullopt);
}

class LogFile : public testing::Test {
 protected:
  LogFile() {
    std::string name = testing::TempDir() + "tideline-log-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~LogFile() override { std::filesystem::remove_all(folder); }

  Logging make() {
    return Logging({.service = "feed",
                    .level = Level::Info,
                    .level_by_logger = {},
                    .sink = {},
                    .file = (folder / "log").string()},
                   clock);
  }

  core::ManualClock clock{core::Timestamp{}};
  std::filesystem::path folder;
};

TEST_F(LogFile, BecomesAnotherWhenItIsFullAndTheOldestGoes) {
  const std::string text(kFieldBytesMax, 'x');
  const Logging logging = make();
  const Log log = logging.logger("http");
  const std::size_t lines = (kFilesMax + 2) * kFileBytesMax / (kFieldBytesMax + 100);
  for (std::size_t i = 0; i < lines; ++i) log.info("request refused", {{"detail", text}});
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    EXPECT_LE(file.file_size(), kFileBytesMax) << file.path();
    ++files;
  }
  EXPECT_EQ(files, kFilesMax + 1);
}

TEST_F(LogFile, OfEachProcessIsAnother) {
  make().logger("http").info("before");
  make().logger("http").info("after");
  EXPECT_TRUE(std::filesystem::exists(folder / "log.1"));
}

TEST_F(LogFile, ThatCannotBeWrittenIsAnError) {
  std::filesystem::remove_all(folder);
  std::ofstream(folder) << "no folder";
  EXPECT_THROW(make(), std::runtime_error);
}

}  // namespace
}  // namespace tideline::observability
