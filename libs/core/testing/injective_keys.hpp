// The law of stream keys (core/stream_key.hpp): no two different calls give one stream id.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/random.hpp"
#include "core/time_ordered_id.hpp"

namespace tideline::core::testing {

// Arguments from pools of a few values, so that different builders meet the same ones. Remembers
// what it gave.
class KeyArguments {
 public:
  AccountId account() {
    return given(AccountId({*rc::gen::element<std::uint8_t>(1, 2, 3)}),
                 [](const AccountId& id) { return id.to_string(); });
  }
  // Two that differ.
  std::pair<AccountId, AccountId> accounts() {
    const AccountId one = account();
    AccountId other = account();
    RC_PRE(one != other);
    return {one, other};
  }
  std::string id() {
    SeededRandom random(*rc::gen::inRange<std::uint64_t>(1, 4));
    return given(make_time_ordered_id(Timestamp(), random), [](const auto& text) { return text; });
  }
  std::int64_t integer() {
    return given(*rc::gen::inRange<std::int64_t>(1, 4),
                 [](std::int64_t value) { return std::to_string(value); });
  }
  Day day() { return given(Day(std::chrono::days(*rc::gen::inRange(20000, 20003))), format_day); }
  Timestamp time() {
    return given(Timestamp(std::chrono::microseconds(*rc::gen::inRange(0, 3))), format_iso8601);
  }
  template <class Number>
  Number number() {
    return given(Number(*rc::gen::inRange<std::uint64_t>(1, 4)),
                 [](const Number& value) { return to_string(value); });
  }

  const std::string& said() const { return said_; }

 private:
  template <class T, class ToText>
  T given(T value, const ToText& text) {
    said_ += " " + std::string(text(value));
    return value;
  }

  std::string said_;
};

using KeyBuilders = std::vector<std::function<StreamId(KeyArguments&)>>;

// Of all builders of a service together.
inline void expect_injective(const KeyBuilders& builders) {
  EXPECT_TRUE(rc::check("two calls give one stream exactly when they are the same call", [&] {
    std::map<StreamId, std::string> calls;
    std::map<std::string, StreamId> streams;
    for (int i = 0; i < 60; ++i) {
      const auto builder = *rc::gen::inRange<std::size_t>(0, builders.size());
      KeyArguments arguments;
      const StreamId stream = builders[builder](arguments);
      const std::string call = std::to_string(builder) + arguments.said();
      RC_ASSERT(calls.emplace(stream, call).first->second == call);
      RC_ASSERT(streams.emplace(call, stream).first->second == stream);
    }
  }));
}

}  // namespace tideline::core::testing
