// What the parts behind the edge do for a sampled request, as the collector gets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "collector.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"
#include "projections/tests/totals_projection.hpp"
#include "runtime/append_spans.hpp"
#include "runtime/projection_spans.hpp"

namespace tideline::runtime {
namespace {

namespace es = eventsourcing;
using http::Json;
using testing::attribute;
using testing::Collector;
using ::testing::ElementsAre;
using testing::kSpanId;
using testing::kTraceId;
using testing::quick_options;
using testing::system_clock_;

const std::string kSampled = "00-" + kTraceId + "-" + kSpanId + "-01";
const std::string kNotSampled = "00-" + kTraceId + "-" + kSpanId + "-00";

class Spans {
 public:
  Spans() : exporter_(std::in_place, quick_options(collector_.endpoint()), metrics_, log_) {}

  observability::SpanExporter& exporter() { return *exporter_; }
  std::vector<Json> await(std::size_t count) { return collector_.await_spans(count); }
  // All that there are: nothing more may be made.
  std::vector<Json> all() {
    exporter_.reset();
    return collector_.await_spans(0);
  }

 private:
  Collector collector_;
  observability::Metrics metrics_;
  observability::Log log_;
  std::optional<observability::SpanExporter> exporter_;
};

void expect_within_the_request(const Json& span) {
  EXPECT_EQ(span["traceId"], kTraceId);
  EXPECT_EQ(span["parentSpanId"], kSpanId);
  EXPECT_NE(span["spanId"], kSpanId);
  EXPECT_LE(std::stoll(span["startTimeUnixNano"].get<std::string>()),
            std::stoll(span["endTimeUnixNano"].get<std::string>()));
}

// Fails when it is told to.
class FailingStore final : public es::ForwardingEventStore {
 public:
  using ForwardingEventStore::ForwardingEventStore;
  core::Result<es::AppendOutcome> do_append(es::Append append) override {
    if (failing) return core::unavailable("the database is away");
    return ForwardingEventStore::do_append(std::move(append));
  }
  void do_append_then(es::Append append, es::AppendDone done) override {
    done(do_append(std::move(append)));
  }
  bool failing = false;
};

class AppendSpansTest : public ::testing::Test {
 protected:
  AppendSpansTest() { store_.observe(append_spans_); }

  static es::Append append_of(const std::string& trace, std::uint64_t expected) {
    es::Append append;
    append.streams.push_back({core::StreamId("moment-1"),
                              core::StreamVersion(expected),
                              {{"Published", core::SchemaVersion(1), "{}", es::Visibility::Public},
                               {"Held", core::SchemaVersion(1), "{}", es::Visibility::Public},
                               {"Held", core::SchemaVersion(1), "{}", es::Visibility::Public}}});
    append.metadata.traceparent = trace;
    return append;
  }
  std::vector<std::string> outcomes() {
    std::vector<std::string> all;
    for (const Json& span : spans_.all()) all.push_back(attribute(span, "tideline.outcome"));
    return all;
  }

  core::SeededRandom random_{1};
  Spans spans_;
  es::InMemoryEventStore events_{"feed", 4, system_clock_, random_};
  FailingStore store_{events_};
  AppendSpans append_spans_{spans_.exporter(), system_clock_};
};

TEST_F(AppendSpansTest, AnAppendIsASpanWithinItsRequests) {
  ASSERT_TRUE(store_.append(append_of(kSampled + " vendor=a", 0)).ok());
  const auto spans = spans_.all();
  ASSERT_EQ(spans.size(), 1);
  expect_within_the_request(spans[0]);
  EXPECT_EQ(spans[0]["name"], "append");
  EXPECT_EQ(spans[0]["kind"], 3);
  EXPECT_EQ(spans[0]["traceState"], "vendor=a");
  EXPECT_EQ(attribute(spans[0], "tideline.event_types"), "Held Published");
  EXPECT_EQ(attribute(spans[0], "tideline.outcome"), "appended");
  EXPECT_FALSE(spans[0]["status"].contains("code"));
  const auto last = events_.read_last(core::StreamId("moment-1"));
  EXPECT_EQ((**last).metadata.traceparent, kSampled + " vendor=a") << "the request's own span";
}

TEST_F(AppendSpansTest, EachOutcomeIsToldOfWhoeverWaits) {
  int done = 0;
  const auto count = [&done](const auto&) { ++done; };
  store_.append_then(append_of(kSampled, 0), count);
  store_.append_then(append_of(kSampled, 0), count);
  store_.failing = true;
  store_.append_then(append_of(kSampled, 3), count);
  EXPECT_FALSE(store_.append(append_of(kSampled, 3)).ok());
  EXPECT_EQ(done, 3);
  const auto spans = spans_.await(4);
  ASSERT_EQ(spans.size(), 4);
  EXPECT_EQ(spans[2]["status"]["code"], 2);
  EXPECT_FALSE(spans[1]["status"].contains("code")) << "a conflict is no failure";
  EXPECT_THAT(outcomes(),
              ElementsAre("appended", "conflict", "the database is away", "the database is away"));
}

TEST_F(AppendSpansTest, WhatIsNotSampledIsPassedOnAlone) {
  int done = 0;
  std::uint64_t version = 0;
  for (const std::string& trace : {std::string(), kNotSampled, std::string("no trace")}) {
    ASSERT_TRUE(store_.append(append_of(trace, version)).ok());
    store_.append_then(append_of(trace, version + 3), [&done](const auto&) { ++done; });
    version += 6;
  }
  EXPECT_EQ(done, 3);
  EXPECT_EQ(spans_.all().size(), 0);
}

class ProjectionSpansTest : public projections::ProjectionRunnerTest {
 protected:
  es::RecordedEvent counted(std::uint64_t position, std::string data,
                            const std::string& trace = kSampled) {
    es::RecordedEvent event = projections::event(0, position, "a", std::move(data));
    event.time = system_clock_.now();
    event.metadata.traceparent = trace;
    return event;
  }
  // Runs on a thread of its own, observed.
  std::unique_ptr<Running> run_observed() {
    observer_.emplace(totals_, spans_.exporter(), system_clock_);
    return run(totals_, topics.source({"feed"}), &*observer_);
  }

  Spans spans_;
  projections::Totals totals_;
  std::optional<ProjectionSpans> observer_;
};

TEST_F(ProjectionSpansTest, AnEventIsASpanWithinItsRequestsOnceItsEffectIsThere) {
  topics.publish(counted(1, "5", kSampled + " vendor=a"));
  const auto running = run_observed();
  const auto spans = spans_.await(1);
  EXPECT_EQ(tables.tables().totals["a"], 5);
  ASSERT_EQ(spans.size(), 1);
  expect_within_the_request(spans[0]);
  EXPECT_EQ(spans[0]["name"], "apply Counted");
  EXPECT_EQ(spans[0]["kind"], 5);
  EXPECT_EQ(spans[0]["traceState"], "vendor=a");
  EXPECT_EQ(attribute(spans[0], "messaging.destination.name"), "tideline.feed");
  EXPECT_EQ(attribute(spans[0], "messaging.destination.partition.id"), "0");
  EXPECT_EQ(attribute(spans[0], "tideline.position"), "1");
  EXPECT_EQ(attribute(spans[0], "tideline.projection"), "totals");
}

TEST_F(ProjectionSpansTest, WhatIsAppliedAgainAfterALostFlushIsOneSpan) {
  topics.publish(counted(1, "5"));
  int refused = 0;
  tables.before_add = [&refused](const std::string&) {
    if (refused++ < 3) throw sql::TransactionFailed(core::unavailable("told to fail"));
  };
  {
    const auto running = run_observed();
    ASSERT_TRUE(running->runner.applied().wait_for(projections::at(0, 1), projections::kDeadline));
  }
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(spans_.all().size(), 1);
}

TEST_F(ProjectionSpansTest, OnlyWhatIsSampledAndRecent) {
  topics.publish(counted(1, "1", ""));
  topics.publish(counted(2, "1", kNotSampled));
  es::RecordedEvent old = counted(3, "1");
  old.time -= ProjectionSpans::kAgeMax + std::chrono::seconds(1);
  topics.publish(old);
  topics.publish(counted(4, "1"));
  {
    const auto running = run_observed();
    ASSERT_TRUE(running->runner.applied().wait_for(projections::at(0, 4), projections::kDeadline));
  }
  const auto spans = spans_.all();
  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(attribute(spans[0], "tideline.position"), "4");
}

TEST_F(ProjectionSpansTest, InMemoryTheEffectIsThereAtOnceAndAPoisonEventFails) {
  projections::Totals totals({std::chrono::milliseconds(20), 5000}, false);
  ProjectionSpans observer(totals, spans_.exporter(), system_clock_);
  topics.publish(counted(1, "1"));
  topics.publish(counted(2, "poison"));
  const auto running = run(totals, topics.source({"feed"}), &observer);
  const auto spans = spans_.await(2);
  ASSERT_EQ(spans.size(), 2);
  EXPECT_FALSE(spans[0]["status"].contains("code"));
  EXPECT_EQ(spans[1]["status"]["code"], 2);
  expect_within_the_request(spans[1]);
}

}  // namespace
}  // namespace tideline::runtime
