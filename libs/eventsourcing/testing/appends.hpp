// Appends for tests, and what to expect of their outcomes.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing::testing {

class Appends {
 public:
  explicit Appends(core::Timestamp time) { append_.time = time; }

  Appends& on(const std::string& stream, std::uint64_t expected,
              const std::vector<std::string>& types, const std::string& data = "{}") {
    StreamAppend part{core::StreamId(stream), core::StreamVersion(expected), {}};
    for (const std::string& type : types) {
      part.events.push_back({type, core::SchemaVersion(1), data, Visibility::Public});
    }
    append_.streams.push_back(std::move(part));
    return *this;
  }
  Append take() { return std::move(append_); }

 private:
  Append append_;
};

// By append_then(), waiting for it.
inline core::Result<AppendOutcome> append_called_back(EventStore& store, Append append) {
  std::promise<core::Result<AppendOutcome>> told;
  store.append_then(std::move(append), [&](core::Result<AppendOutcome> outcome) {
    told.set_value(std::move(outcome));
  });
  return told.get_future().get();
}

inline Appended expect_appended(const core::Result<AppendOutcome>& outcome) {
  if (!outcome.ok()) {
    ADD_FAILURE() << "failed: " << outcome.error().message;
    return {};
  }
  if (const auto* conflict = std::get_if<VersionConflict>(&*outcome)) {
    ADD_FAILURE() << "conflict on " << conflict->stream.value() << " at "
                  << conflict->actual.value();
    return {};
  }
  if (const auto* appended = std::get_if<Appended>(&*outcome)) return *appended;
  ADD_FAILURE() << "not appended: outcome " << outcome->index();
  return {};
}

inline StoredResult expect_already_done(const core::Result<AppendOutcome>& outcome) {
  if (outcome.ok()) {
    if (const auto* done = std::get_if<AlreadyDone>(&*outcome)) return done->result;
  }
  ADD_FAILURE() << "not done already: "
                << (outcome.ok() ? "outcome " + std::to_string(outcome->index())
                                 : outcome.error().message);
  return {};
}

inline void expect_conflict(const core::Result<AppendOutcome>& outcome, const std::string& stream,
                            std::uint64_t actual) {
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const auto* conflict = std::get_if<VersionConflict>(&*outcome);
  ASSERT_NE(conflict, nullptr) << "no conflict: outcome " << outcome->index();
  EXPECT_EQ(conflict->stream.value(), stream);
  EXPECT_EQ(conflict->actual.value(), actual);
}

}  // namespace tideline::eventsourcing::testing
