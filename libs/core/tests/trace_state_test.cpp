#include "core/trace_state.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tideline::core {
namespace {

std::string members(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "k" : ",k") + std::to_string(i) + "=v";
  return list;
}

std::string many(std::size_t count, char byte) { return std::string(count, byte); }

TEST(TraceState, IsPassedOnAsItCame) {
  for (const std::string& text :
       {std::string("congo=t61rcWkgMzE"), std::string("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
        std::string("a=b;c:d~!\"#$%&'()*+-./<>?@[]^_`{|}"), std::string("a= b  c"),
        std::string("0tenant@system=1,a_-*/9=2"), many(256, 'z') + "=1",
        many(241, 't') + "@" + many(14, 'v') + "=1", "a=" + many(256, 'v'), members(32)}) {
    EXPECT_EQ(sound_trace_state(text), text);
  }
}

// Several lines of the header leave empty members and blanks.
TEST(TraceState, EmptyMembersAndBlanksAroundMembersAreDropped) {
  EXPECT_EQ(sound_trace_state(" \ta=1 , ,,\tb=2\t,"), "a=1,b=2");
  EXPECT_EQ(sound_trace_state(""), "");
  EXPECT_EQ(sound_trace_state(" ,\t, "), "");
}

TEST(TraceState, WhatBreaksARuleIsDroppedAsAWhole) {
  for (const std::string& text : {std::string("a"),           std::string("=1"),
                                  std::string("a="),          std::string("a= "),
                                  std::string("A=1"),         std::string("0a=1"),
                                  std::string("a b=1"),       std::string("a =1"),
                                  std::string("a=1=2"),       std::string("a=\x01"),
                                  std::string("a=\x7f"),      std::string("a=\xc3\xa9"),
                                  std::string("a=1\tb"),      std::string("foo@=1"),
                                  std::string("@foo=1"),      std::string("foo@0bar=1"),
                                  std::string("foo@@bar=1"),  std::string("foo@bar@baz=1"),
                                  std::string("_a=1"),        std::string("foo=1,foo=2"),
                                  std::string("foo=1;bar=2"), many(257, 'z') + "=1",
                                  many(242, 't') + "@v=1",    "t@" + many(15, 'v') + "=1",
                                  "a=" + many(257, 'v'),      members(32)}) {
    // In front of 32 members this one makes one too many.
    EXPECT_EQ(sound_trace_state("ok=1," + text), "") << text;
  }
}

TEST(TraceState, KeysOfWhichOneBeginsTheOtherAreTwo) {
  EXPECT_EQ(sound_trace_state("foo=1,fo=2,fooo=3"), "foo=1,fo=2,fooo=3");
}

TEST(TraceState, OfTooMuchTheLargeMembersGoFirstAndThenTheLast) {
  const std::string small = "a=" + many(126, '1');   // 128 bytes
  const std::string large = "l1=" + many(126, '2');  // 129
  const std::string other = "l2=" + many(200, '3');
  std::string text = small;
  for (const char* key : {",b=", ",c="}) text += key + many(126, '1');
  // 128 * 3 + 2 = 386 bytes are small ones.
  EXPECT_EQ(sound_trace_state(large + "," + text), text) << "large ones go, wherever they stand";
  EXPECT_EQ(sound_trace_state(large + "," + other + "," + small), large + "," + other + "," + small)
      << "what fits stays";
  EXPECT_EQ(sound_trace_state(large + "," + text + "," + other), text);
  EXPECT_EQ(sound_trace_state(text + "," + large + ",d=1"), text + ",d=1");
  const std::string more = text + ",d=" + many(123, '4');  // 512
  EXPECT_EQ(more.size(), kTraceStateBytesMax);
  EXPECT_EQ(sound_trace_state(more), more);
  EXPECT_EQ(sound_trace_state(more + ",e=5"), more) << "then the last one";
}

TEST(TraceState, WhatIsPassedOnKeepsTheLimitsAndStaysAsItIs) {
  EXPECT_TRUE(rc::check("any text", [](const std::string& text) {
    const std::string once = sound_trace_state(text);
    RC_ASSERT(sound_trace_state(once) == once);
  }));
  EXPECT_TRUE(rc::check("members of any size", [] {
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(1, 257));
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), kTraceStateMembersMax); ++i) {
      text += "k" + std::to_string(i) + "=" + many(sizes[i], 'x') + ",";
    }
    const std::string kept = sound_trace_state(text);
    RC_ASSERT(kept.size() <= kTraceStateBytesMax);
    RC_ASSERT(text.size() > kTraceStateBytesMax + 1 || kept.size() + 1 >= text.size());
    RC_ASSERT(sound_trace_state(kept) == kept);
  }));
}

}  // namespace
}  // namespace tideline::core
