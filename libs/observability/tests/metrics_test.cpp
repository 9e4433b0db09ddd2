#include "observability/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tideline::observability {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MetricsTest, RendersThePrometheusTextFormat) {
  Metrics metrics;
  metrics.counter("tideline_relay_events_total", "Events published").add(3);
  metrics.gauge("tideline_relay_lag_events", "Events not yet published").set(7);
  metrics.counters("tideline_append_results_total", "Appends", {"result", "log"})
      .with({"conflict", "3"})
      .add();
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("# HELP tideline_relay_events_total Events published\n"
                              "# TYPE tideline_relay_events_total counter\n"
                              "tideline_relay_events_total 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE tideline_relay_lag_events gauge\n"
                              "tideline_relay_lag_events 7\n"));
  EXPECT_THAT(text, HasSubstr("tideline_append_results_total{log=\"3\",result=\"conflict\"} 1\n"));
}

TEST(MetricsTest, HistogramsCountByBuckets) {
  Metrics metrics;
  const std::vector<double> bounds = {0.1, 1};
  const Histogram histogram =
      metrics.histograms("tideline_query_duration_seconds", "Queries", {"query"}, bounds)
          .with({"page"});
  for (const double seconds : {0.05, 0.1, 0.5, 5.0}) histogram.observe(seconds);
  const std::string text = metrics.render();
  const std::string name = "tideline_query_duration_seconds";
  EXPECT_THAT(text, HasSubstr(name + "_bucket{query=\"page\",le=\"0.1\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{query=\"page\",le=\"1\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{query=\"page\",le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr(name + "_count{query=\"page\"} 4\n"));
}

TEST(MetricsTest, EscapesLabelValues) {
  Metrics metrics;
  metrics.counters("tideline_test_values_total", "Help", {"value"}).with({"a\"b\\c\nd"}).add();
  EXPECT_THAT(metrics.render(), HasSubstr(R"({value="a\"b\\c\nd"} 1)"));
}

TEST(MetricsTest, GivesTheSameSeriesForTheSameLabels) {
  Metrics metrics;
  const CounterFamily family = metrics.counters("tideline_test_pairs_total", "Help", {"a", "b"});
  family.with({"1", "2"}).add();
  family.with({"1", "2"}).add(2);
  metrics.counters("tideline_test_pairs_total", "Help", {"a", "b"}).with({"1", "2"}).add();
  EXPECT_EQ(family.with({"1", "2"}).value(), 4);
  family.with({"12", ""}).add();
  EXPECT_EQ(family.with({"1", "2"}).value(), 4);
  EXPECT_EQ(family.with({"", "12"}).value(), 0);
  family.with({"1:", "2"}).add();
  EXPECT_EQ(family.with({"1", ":2"}).value(), 0);
}

TEST(MetricsTest, GaugesGoBothWays) {
  Metrics metrics;
  const Gauge gauge = metrics.gauge("tideline_test_depth_items", "Help");
  gauge.add(5);
  gauge.add(-2);
  EXPECT_EQ(gauge.value(), 3);
  gauge.set(1);
  EXPECT_EQ(gauge.value(), 1);
}

TEST(MetricsTest, RefusesMoreSetsOfLabelsThanAllowedAndCountsThem) {
  Metrics metrics({.label_sets_max = 2});
  const CounterFamily family = metrics.counters("tideline_test_labels_total", "Help", {"label"});
  for (const char* value : {"a", "b", "c", "d"}) family.with({value}).add();
  family.with({"a"}).add();
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("tideline_test_labels_total{label=\"a\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("tideline_test_labels_total{label=\"b\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("label=\"c\"")));
  EXPECT_THAT(text, HasSubstr("tideline_metrics_label_sets_refused_total"
                              "{metric=\"tideline_test_labels_total\"} 2\n"));
}

TEST(MetricsTest, RefreshesBeforeRendering) {
  Metrics metrics;
  int depth = 1;
  const Gauge gauge = metrics.gauge("tideline_test_queue_items", "Help");
  metrics.before_render([&] { gauge.set(depth); });
  EXPECT_THAT(metrics.render(), HasSubstr("tideline_test_queue_items 1\n"));
  depth = 2;
  EXPECT_THAT(metrics.render(), HasSubstr("tideline_test_queue_items 2\n"));
}

TEST(MetricsTest, ShowsWhatAStatusSays) {
  struct Status {
    int depth = 0;
    double seconds = 0;
  };
  Metrics metrics;
  Status status{1, 0.5};
  int reads = 0;
  metrics.show(
      [&] {
        ++reads;
        return status;
      },
      {{"tideline_test_queue_items", "Help", &Status::depth},
       {"tideline_test_queue_ms", "Help", [](const Status& s) { return s.seconds * 1000; }}});
  EXPECT_THAT(metrics.render(), HasSubstr("tideline_test_queue_items 1\n"));
  status = {2, 0.25};
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("tideline_test_queue_items 2\n"));
  EXPECT_THAT(text, HasSubstr("tideline_test_queue_ms 250\n"));
  EXPECT_EQ(reads, 2);
}

TEST(MetricsTest, DefaultHandlesCountNothing) {
  Counter().add();
  Gauge().set(1);
  Histogram().observe(1);
  CounterFamily().with({"any"}).add();
  GaugeFamily().with({"any"}).add(1);
  HistogramFamily().with({"any"}).observe(1);
  EXPECT_EQ(Counter().value(), 0);
}

TEST(MetricsTest, ThreadsShareFamilies) {
  Metrics metrics;
  const CounterFamily family = metrics.counters("tideline_test_shared_total", "Help", {"label"});
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) family.with({std::to_string(i % 10)}).add();
      (void)metrics.render();
    });
  }
  threads.clear();
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += family.with({std::to_string(i)}).value();
  EXPECT_EQ(sum, 4000);
}

TEST(MetricsDeathTest, MisuseIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Metrics metrics;
  const CounterFamily family = metrics.counters("tideline_test_known_total", "Help", {"label"});
  EXPECT_DEATH(metrics.counter("other_test_events_total", "Help"), "CHECK");
  EXPECT_DEATH(metrics.counter("tideline_total", "Help"), "CHECK");
  EXPECT_DEATH(metrics.counter("tideline_Test_events_total", "Help"), "CHECK");
  EXPECT_DEATH(metrics.counter("tideline_test__events_total", "Help"), "CHECK");
  EXPECT_DEATH(metrics.counter("tideline_test_events", "Help"), "CHECK");
  EXPECT_DEATH(metrics.gauge("tideline_test_events_total", "Help"), "CHECK");
  EXPECT_DEATH(metrics.counters("tideline_test_labels_total", "Help", {"le"}), "CHECK");
  EXPECT_DEATH(metrics.counters("tideline_test_known_total", "Help", {"other"}), "CHECK");
  EXPECT_DEATH(family.with({"one", "two"}), "CHECK");
  EXPECT_DEATH(family.with({"one"}).add(-1), "CHECK");
}

}  // namespace
}  // namespace tideline::observability
