#include "demo/progress.hpp"

#include <gtest/gtest.h>

namespace tideline::demo {
namespace {

using std::chrono::seconds;

constexpr Progress::Time kStart{seconds(100)};

TEST(Progress, WithoutATerminalThereIsALineEveryTenSeconds) {
  Progress progress("people registered", 100, false, kStart);
  EXPECT_EQ(progress.during(5, kStart + seconds(9)), "");
  const std::string line = progress.during(20, kStart + seconds(10));
  EXPECT_NE(line.find("people registered"), std::string::npos) << line;
  EXPECT_NE(line.find("20/100"), std::string::npos) << line;
  EXPECT_EQ(line.find('\r'), std::string::npos) << line;
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(progress.during(21, kStart + seconds(11)), "");
  EXPECT_NE(progress.during(40, kStart + seconds(35)), "") << "late, and only once";
  EXPECT_EQ(progress.during(41, kStart + seconds(39)), "");
  EXPECT_NE(progress.during(42, kStart + seconds(40)), "");
}

TEST(Progress, TheEndIsALineInAnyCase) {
  const Progress progress("follows", 3, false, kStart);
  const std::string line = progress.at_end(3, kStart + seconds(1));
  EXPECT_NE(line.find("3/3"), std::string::npos) << line;
  EXPECT_EQ(line.find('\r'), std::string::npos) << line;
  EXPECT_EQ(line.back(), '\n');
}

TEST(Progress, OnATerminalOneLineIsDrawnAnewAtAnyTime) {
  Progress progress("follows", 3, true, kStart);
  const std::string bar = progress.during(1, kStart + seconds(1));
  EXPECT_EQ(bar.front(), '\r');
  EXPECT_EQ(bar.find('\n'), std::string::npos) << bar;
}

}  // namespace
}  // namespace tideline::demo
