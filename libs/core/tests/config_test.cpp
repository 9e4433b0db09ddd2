#include "core/config.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace tideline::core {
namespace {

using Lines = std::vector<std::string>;

TEST(Config, TheEnvironmentOverridesTheFile) {
  const char* environment[] = {"TIDELINE_A=from environment", "OTHER=x", nullptr};
  Config config("# a comment\n\nTIDELINE_A=from file\r\n TIDELINE_B = b = c \n", environment);
  EXPECT_EQ(config.text("TIDELINE_A"), "from environment");
  EXPECT_EQ(config.text("TIDELINE_B"), "b = c");
  EXPECT_EQ(config.text("OTHER", "none"), "none") << "only our own names count";
  EXPECT_EQ(config.mistakes(), Lines{});
}

TEST(Config, ReadsEachKindOfValue) {
  Config config("N=-5\nT=1500\nYES=true\nNO=false\nL= a, b ,,c\nEMPTY=\n", nullptr);
  EXPECT_EQ(config.integer("N", 1, -10, 10), -5);
  EXPECT_EQ(config.integer("ABSENT", 7, 0, 10), 7);
  EXPECT_EQ(config.duration_ms("T", std::chrono::milliseconds(1)), std::chrono::milliseconds(1500));
  EXPECT_TRUE(config.boolean("YES", false));
  EXPECT_FALSE(config.boolean("NO", true));
  EXPECT_EQ(config.list("L", {}), (Lines{"a", "b", "c"}));
  EXPECT_EQ(config.list("EMPTY", {"x"}), Lines{});
  EXPECT_EQ(config.list("ABSENT", {"x"}), Lines{"x"});
  EXPECT_EQ(config.mistakes(), Lines{});
}

TEST(Config, ReportsAllMistakesTogether) {
  Config config("no equals sign\nN=11\nM=5x\nB=yes\nTIDELINE_TYPO=1\n", nullptr);
  EXPECT_EQ(config.integer("N", 1, 0, 10), 1);
  EXPECT_EQ(config.integer("M", 1, 0, 10), 1);
  EXPECT_FALSE(config.boolean("B", false));
  EXPECT_EQ(config.text("MISSING"), "");
  config.add_error("N", "is odd");
  const Lines mistakes = config.mistakes();
  ASSERT_EQ(mistakes.size(), 7U);
  EXPECT_NE(mistakes[0].find("no equals sign"), std::string::npos);
  EXPECT_NE(mistakes[1].find("N must be"), std::string::npos);
  EXPECT_NE(mistakes[2].find("M must be"), std::string::npos);
  EXPECT_NE(mistakes[3].find("B must be"), std::string::npos);
  EXPECT_EQ(mistakes[4], "MISSING is missing");
  EXPECT_EQ(mistakes[5], "N is odd");
  EXPECT_NE(mistakes[6].find("TIDELINE_TYPO"), std::string::npos);
}

TEST(Config, LoadsAFileOrSaysThatItCannot) {
  std::string path = "/tmp/tideline-config-XXXXXX";
  const int descriptor = mkstemp(path.data());
  ASSERT_GE(descriptor, 0);
  close(descriptor);
  std::ofstream(path) << "KEY=value\n";
  EXPECT_EQ(Config::load(path).value().text("KEY"), "value");
  std::remove(path.c_str());
  const auto missing = Config::load(path);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::InvalidInput);
  EXPECT_TRUE(Config::load(std::nullopt).ok());
}

}  // namespace
}  // namespace tideline::core
