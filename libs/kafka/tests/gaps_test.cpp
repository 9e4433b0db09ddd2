#include "kafka/gaps.hpp"

#include <gtest/gtest.h>

namespace tideline::kafka {
namespace {

TEST(GapReports, ComeBackAsTheyWent) {
  const GapReport report{{"social-graph", core::LogIndex(3)},
                         core::LogPosition(9'007'199'254'740'993),
                         core::KafkaOffset(40)};
  EXPECT_EQ(decode_gap(encode_gap(report)), report);
}

TEST(GapReports, AnythingElseIsRefused) {
  for (const char* text : {"", "{}", "[]", "null", "{\"service\":\"feed\",\"log\":3}",
                           R"({"service":"feed","log":-3,"position":"17","end_offset":"40"})",
                           R"({"service":"feed","log":3,"position":17,"end_offset":"40"})",
                           R"({"service":"feed","log":3,"position":"0","end_offset":"40"})",
                           R"({"service":7,"log":3,"position":"17","end_offset":"40"})"}) {
    EXPECT_FALSE(decode_gap(text)) << text;
  }
  EXPECT_FALSE(decode_gap(std::string(100'000, '[')));
}

}  // namespace
}  // namespace tideline::kafka
