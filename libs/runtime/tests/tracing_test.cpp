// From a request with a traceparent to the span that a collector gets, with a collector of the
// test's own.
#include <gtest/gtest.h>

#include "collector.hpp"
#include "http/server/server.hpp"
#include "http/tests/test_client.hpp"
#include "runtime/edge_adapters.hpp"

namespace tideline::runtime {
namespace {

using http::Json;
using http::testing::TestClient;
using testing::attribute;
using testing::Collector;
using testing::kSpanId;
using testing::kTraceId;
using testing::quick_options;
using testing::system_clock_;

observability::Span some_span() {
  core::SeededRandom random(1);
  return {.context = core::TraceContext::start(random, true),
          .parent_span_id = "",
          .name = "GET /x",
          .start = core::Timestamp(std::chrono::seconds(1)),
          .end = core::Timestamp(std::chrono::seconds(2)),
          .failed = false,
          .attributes = {}};
}

class TracingTest : public ::testing::Test {
 protected:
  // An edge whose only route answers with the trace that the handler sees.
  void start(double sampled) {
    exporter = std::make_unique<observability::SpanExporter>(quick_options(collector.endpoint()),
                                                             metrics, observability::Log());
    observer = std::make_unique<RecordingObserver>(
        observability::RequestRecorder(metrics, observability::Log()), observability::Log(),
        system_clock_, exporter.get());
    router.add(http::Method::Get, "/seen/{id}", http::Access::Public,
               [](const http::Request& request) {
                 return http::Response::text(request.param("id") == "bad" ? 503 : 200, "text/plain",
                                             request.traceparent);
               });
    http::ServerOptions options;
    options.traces_sampled = sampled;
    server = std::make_unique<http::Server>(options, router, system_clock_, observer.get());
    ASSERT_TRUE(server->start().ok());
    client = std::make_unique<TestClient>(server->port());
  }
  ~TracingTest() override {
    if (server) server->stop();
  }

  core::TraceContext seen(const std::string& headers, const std::string& id = "1") {
    EXPECT_TRUE(client->send("GET /seen/" + id + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n"));
    const auto context = core::TraceContext::read(client->answer().body);
    EXPECT_TRUE(context) << headers;
    return context.value_or(*core::TraceContext::parse("00-" + kTraceId + "-" + kSpanId + "-00"));
  }

  Collector collector;
  observability::Metrics metrics;
  std::unique_ptr<observability::SpanExporter> exporter;
  std::unique_ptr<RecordingObserver> observer;
  http::Router router{nullptr, system_clock_};
  std::unique_ptr<http::Server> server;
  std::unique_ptr<TestClient> client;
};

TEST_F(TracingTest, WhatARequestCausesCarriesItsOwnSpan) {
  start(0);
  const auto context = seen("traceparent: 00-" + kTraceId + "-" + kSpanId + "-01\r\n");
  EXPECT_EQ(context.trace_id(), kTraceId);
  EXPECT_NE(context.span_id(), kSpanId) << "the child's id, not the client's";
  const auto spans = collector.await_spans(1);
  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(spans[0]["traceId"], kTraceId);
  EXPECT_EQ(spans[0]["spanId"], context.span_id());
  EXPECT_EQ(spans[0]["parentSpanId"], kSpanId);
  EXPECT_EQ(spans[0]["name"], "GET /seen/{id}") << "never the raw path";
  EXPECT_EQ(spans[0]["kind"], 2);
  EXPECT_EQ(attribute(spans[0], "http.route"), "/seen/{id}");
  EXPECT_EQ(attribute(spans[0], "http.response.status_code"), "200");
  EXPECT_NE(attribute(spans[0], "tideline.request_id"), "");
  EXPECT_LE(std::stoll(spans[0]["startTimeUnixNano"].get<std::string>()),
            std::stoll(spans[0]["endTimeUnixNano"].get<std::string>()));
  EXPECT_FALSE(spans[0]["status"].contains("code"));
  EXPECT_EQ(collector.service(), "tideline-feed");
}

TEST_F(TracingTest, TheStateOfATraceGoesAlong) {
  start(1);
  const std::string parent = "traceparent: 00-" + kTraceId + "-" + kSpanId + "-01\r\n";
  const std::string state = "tracestate: rojo=1\r\nTracestate: ,congo=t61 ,\r\n";
  EXPECT_EQ(seen(state + parent).tracestate(), "rojo=1,congo=t61");
  EXPECT_EQ(seen(parent + "tracestate: rojo=1\r\ntracestate: rojo=2\r\n").tracestate(), "");
  EXPECT_EQ(seen(state).tracestate(), "") << "a state without its trace";
  EXPECT_EQ(seen(parent + parent + state).tracestate(), "") << "nobody knows of which trace";
  const auto spans = collector.await_spans(4);
  ASSERT_EQ(spans.size(), 4);
  EXPECT_EQ(spans[0]["traceState"], "rojo=1,congo=t61");
  EXPECT_EQ(spans[1]["traceId"], kTraceId) << "a state that breaks a rule leaves the trace alone";
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(spans[i].contains("traceState"));
}

TEST_F(TracingTest, WhatIsNoTraceparentStartsANewTrace) {
  start(1);
  const std::string good = "traceparent: 00-" + kTraceId + "-" + kSpanId + "-01\r\n";
  for (const std::string& headers :
       {std::string(), good + good, std::string("traceparent: 00-0-0-0\r\n"),
        "traceparent: 00-" + std::string(32, '0') + "-" + kSpanId + "-01\r\n"}) {
    const auto context = seen(headers);
    EXPECT_NE(context.trace_id(), kTraceId) << headers;
    EXPECT_TRUE(context.sampled());
  }
  for (const Json& span : collector.await_spans(4)) EXPECT_FALSE(span.contains("parentSpanId"));
}

TEST_F(TracingTest, TheClientsFlagDecidesElseTheShare) {
  start(0);
  EXPECT_FALSE(seen("").sampled());
  EXPECT_FALSE(seen("traceparent: 00-" + kTraceId + "-" + kSpanId + "-00\r\n").sampled());
  seen("traceparent: 00-" + kTraceId + "-" + kSpanId + "-01\r\n", "bad");
  const auto spans = collector.await_spans(1);
  ASSERT_EQ(spans.size(), 1) << "only what is sampled is exported";
  EXPECT_EQ(spans[0]["status"]["code"], 2);
}

TEST(SpanExporter, WaitsForNobody) {
  Collector collector;
  collector.set_open(false);
  observability::Metrics metrics;
  auto options = quick_options(collector.endpoint());
  options.queued_max = 10;
  options.batch_max = 5;
  {
    observability::SpanExporter exporter(options, metrics, observability::Log());
    exporter.offer(some_span());
    ASSERT_TRUE(collector.wait_until_asked());
    // The collector holds the first batch: ten more fit, the others do not.
    for (int i = 0; i < 25; ++i) exporter.offer(some_span());
    EXPECT_NE(
        metrics.render().find("tideline_trace_spans_dropped_total{reason=\"queue-full\"} 15\n"),
        std::string::npos)
        << metrics.render();
    collector.set_open(true);
  }
  EXPECT_EQ(collector.await_spans(11).size(), 11) << "the end sends what is queued";
  EXPECT_NE(metrics.render().find("tideline_trace_spans_exported_total 11\n"), std::string::npos);
}

TEST(SpanExporter, CountsWhatTheCollectorDoesNotTake) {
  Collector refusing(503);
  observability::Metrics metrics;
  {
    observability::SpanExporter exporter(quick_options(refusing.endpoint()), metrics,
                                         observability::Log());
    exporter.offer(some_span());
  }
  {
    // Nobody listens there.
    observability::SpanExporter exporter(quick_options("http://127.0.0.1:1/v1/traces"), metrics,
                                         observability::Log());
    exporter.offer(some_span());
  }
  EXPECT_NE(metrics.render().find("tideline_trace_spans_dropped_total{reason=\"collector\"} 2\n"),
            std::string::npos)
      << metrics.render();
}

}  // namespace
}  // namespace tideline::runtime
