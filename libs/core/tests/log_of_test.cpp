#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/ids.hpp"

namespace tideline::core {
namespace {

TEST(LogOf, NeverChanges) {
  // Part of the data format: these values were written down when it was fixed.
  EXPECT_EQ(log_of("", 1U << 30U).value(), 699787419U);
  EXPECT_EQ(log_of("account-74aaaaaaaaaaaaaaaaaaaaaaaa", 16).value(), 3U);
  EXPECT_EQ(log_of("moment-1", 64).value(), 42U);
}

TEST(LogOf, SpreadsStreamsEvenly) {
  std::vector<int> streams(16, 0);
  for (int i = 0; i < 16000; ++i) ++streams[log_of("moment-" + std::to_string(i), 16).value()];
  for (const int count : streams) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

}  // namespace
}  // namespace tideline::core
