#include "core/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>

namespace tideline::core {
namespace {

const std::string kTraceId = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpanId = "b7ad6b7169203331";
const std::string kExample = "00-" + kTraceId + "-" + kSpanId + "-01";

TEST(TraceContextTest, ReadsTheExampleOfTheStandard) {
  const auto context = TraceContext::parse(kExample);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->trace_id(), kTraceId);
  EXPECT_EQ(context->span_id(), kSpanId);
  EXPECT_TRUE(context->sampled());
  EXPECT_EQ(context->traceparent(), kExample);
}

TEST(TraceContextTest, RefusesWhatTheStandardForbids) {
  const std::string zeros(32, '0');
  for (const std::string& text : {
           std::string(),
           kExample.substr(1),
           kExample + "0",
           kExample + "-more",
           " " + kExample,
           "ff-" + kTraceId + "-" + kSpanId + "-01",
           "0g-" + kTraceId + "-" + kSpanId + "-01",
           "00-" + zeros + "-" + kSpanId + "-01",
           "00-" + kTraceId + "-" + zeros.substr(16) + "-01",
           "00-" + kTraceId + "-" + kSpanId + "-0x",
           "00_" + kTraceId + "-" + kSpanId + "-01",
           "00-" + kTraceId + "_" + kSpanId + "-01",
           "00-" + kTraceId + "-" + kSpanId + "_01",
           "00-0AF7651916CD43DD8448EB211C80319C-" + kSpanId + "-01",
           "cc-" + kTraceId + "-" + kSpanId + "-01.what",
       }) {
    EXPECT_FALSE(TraceContext::parse(text).has_value()) << text;
  }
}

TEST(TraceContextTest, ReadsLaterVersionsByTheirFirstFields) {
  for (const std::string& tail : {std::string(), std::string("-what-the-future-brings")}) {
    const auto context = TraceContext::parse("cc-" + kTraceId + "-" + kSpanId + "-01" + tail);
    ASSERT_TRUE(context.has_value());
    EXPECT_EQ(context->traceparent(), kExample);
  }
}

TEST(TraceContextTest, PassesOnOnlyTheFlagItKnows) {
  const auto context = TraceContext::parse("00-" + kTraceId + "-" + kSpanId + "-fe");
  ASSERT_TRUE(context.has_value());
  EXPECT_FALSE(context->sampled());
  EXPECT_TRUE(context->traceparent().ends_with("-00"));
}

TEST(TraceContextTest, AChildKeepsTheTraceAndItsFlag) {
  SeededRandom random(1);
  const TraceContext parent = *TraceContext::parse(kExample);
  const TraceContext child = parent.child(random);
  EXPECT_EQ(child.trace_id(), parent.trace_id());
  EXPECT_NE(child.span_id(), parent.span_id());
  EXPECT_TRUE(child.sampled());
}

TEST(TraceContextTest, TheStateGoesAlongInOneText) {
  SeededRandom random(1);
  const TraceContext parent = *TraceContext::parse(kExample, "rojo=1 2, congo=t61");
  EXPECT_EQ(parent.traceparent(), kExample);
  EXPECT_EQ(parent.tracestate(), "rojo=1 2,congo=t61");
  EXPECT_EQ(parent.text(), kExample + " rojo=1 2,congo=t61");
  EXPECT_EQ(TraceContext::read(parent.text()), parent);
  EXPECT_EQ(parent.child(random).tracestate(), "rojo=1 2,congo=t61");
  EXPECT_EQ(TraceContext::start(random).tracestate(), "");
}

TEST(TraceContextTest, AnUnsoundStateLeavesTheTraceAlone) {
  EXPECT_EQ(TraceContext::parse(kExample, "a=1,a=2")->text(), kExample);
  EXPECT_EQ(TraceContext::read(kExample + " no state")->text(), kExample);
  EXPECT_FALSE(TraceContext::parse(kExample + " a=1", "").has_value());
  EXPECT_FALSE(TraceContext::parse("00-0-0-0", "a=1").has_value());
}

TEST(TraceContextTest, AnyTextIsTwoHeadersAndBackAgain) {
  EXPECT_TRUE(rc::check("join(split)", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("  a=,-0")));
    std::string back = "what was there before";
    TraceHeaders::split(text).join(back);
    RC_ASSERT(back == text);
  }));
  const std::string text = kExample + " a=1 2,b=3";
  const auto headers = TraceHeaders::split(text);
  EXPECT_EQ(headers.traceparent, kExample);
  EXPECT_EQ(headers.tracestate, "a=1 2,b=3");
}

TEST(TraceContextTest, FindsTheTraceIdInAText) {
  EXPECT_EQ(trace_id_of(kExample), kTraceId);
  EXPECT_EQ(trace_id_of(kExample + " a=1"), kTraceId);
  EXPECT_EQ(trace_id_of("00-0-0-0"), "");
}

TEST(TraceContextTest, NeverDrawsAnIdOfZeros) {
  class ZerosFirst final : public Random {
   public:
    void fill(std::span<std::uint8_t> bytes) override {
      for (std::uint8_t& byte : bytes) byte = calls % 2 == 0 ? 0 : 1;
      ++calls;
    }
    int calls = 0;
  };
  ZerosFirst random;
  EXPECT_TRUE(TraceContext::parse(TraceContext::start(random).traceparent()).has_value());
  EXPECT_EQ(random.calls, 4);
}

TEST(TraceContextTest, ParsesWhatItWrites) {
  EXPECT_TRUE(
      rc::check("parse(traceparent) gives the context back", [](std::uint64_t seed, bool sampled) {
        SeededRandom random(seed);
        const TraceContext context = TraceContext::start(random, sampled);
        RC_ASSERT(TraceContext::parse(context.traceparent()) == context);
      }));
  EXPECT_TRUE(rc::check("any text is read or refused",
                        [](const std::string& text) { (void)TraceContext::parse(text); }));
}

}  // namespace
}  // namespace tideline::core
