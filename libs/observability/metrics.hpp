// Metrics in the Prometheus text format. The one that composes the process owns one Metrics, hands
// it to the parts, and serves render() on /metrics.
//
// Names are `tideline_<part>_<what>_<unit>`, counters end with `_total`, and units are seconds and
// bytes. Labels must have few values: a route template, never a path; a kind, never an id. Each
// family takes at most `label_sets_max` sets of label values; further ones are refused (their
// handle counts nothing) and counted in tideline_metrics_label_sets_refused_total.
//
// A malformed name, or one name registered twice with another kind or other labels, is a bug.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace tideline::observability {

// Handles: cheap to copy, thread-safe, never blocking; valid as long as their Metrics. A default
// one counts nothing. Keep them instead of looking them up by label on hot paths.
class Counter {
 public:
  Counter() = default;
  void add(double amount = 1) const;  // never negative
  double value() const;

 private:
  friend class CounterFamily;
  explicit Counter(prometheus::Counter* counter) : counter_(counter) {}
  prometheus::Counter* counter_ = nullptr;
};

class Gauge {
 public:
  Gauge() = default;
  void set(double value) const;
  void add(double amount) const;
  double value() const;

 private:
  friend class GaugeFamily;
  explicit Gauge(prometheus::Gauge* gauge) : gauge_(gauge) {}
  prometheus::Gauge* gauge_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  void observe(double value) const;

 private:
  friend class HistogramFamily;
  explicit Histogram(prometheus::Histogram* histogram) : histogram_(histogram) {}
  prometheus::Histogram* histogram_ = nullptr;
};

// A value for each label name, in the order in which the family was made.
using LabelValues = std::initializer_list<std::string_view>;

// Families: cheap to copy, thread-safe; with() takes a short lock and a hash of the values.
class CounterFamily {
 public:
  CounterFamily() = default;
  Counter with(LabelValues values) const;

 private:
  friend class Metrics;
  struct State;
  explicit CounterFamily(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class GaugeFamily {
 public:
  GaugeFamily() = default;
  Gauge with(LabelValues values) const;

 private:
  friend class Metrics;
  struct State;
  explicit GaugeFamily(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class HistogramFamily {
 public:
  HistogramFamily() = default;
  Histogram with(LabelValues values) const;

 private:
  friend class Metrics;
  struct State;
  explicit HistogramFamily(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Upper bounds for durations in seconds, 0.5 ms to 10 s.
std::span<const double> latency_buckets();

// A gauge that is read of a Status rather than kept: by a member, or by a function of it.
template <class Status>
class Shown {
 public:
  template <class Value>
  Shown(std::string_view name, std::string_view help, Value value)
      : name_(name), help_(help), value_([value](const Status& status) {
          return static_cast<double>(std::invoke(value, status));
        }) {}

 private:
  friend class Metrics;
  std::string name_;
  std::string help_;
  std::function<double(const Status&)> value_;
};

struct MetricsOptions {
  std::size_t label_sets_max = 500;  // per family
};

// Thread-safe. Registering blocks on a lock, render() on the parts' own refreshes.
class Metrics {
 public:
  explicit Metrics(MetricsOptions options = {});
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter counter(std::string_view name, std::string_view help);
  CounterFamily counters(std::string_view name, std::string_view help,
                         const std::vector<std::string>& label_names);

  Gauge gauge(std::string_view name, std::string_view help);
  GaugeFamily gauges(std::string_view name, std::string_view help,
                     const std::vector<std::string>& label_names);

  Histogram histogram(std::string_view name, std::string_view help,
                      std::span<const double> bounds = latency_buckets());
  HistogramFamily histograms(std::string_view name, std::string_view help,
                             const std::vector<std::string>& label_names,
                             std::span<const double> bounds = latency_buckets());

  // Called at the start of each render(), for gauges that are read rather than kept (a queue's
  // length). Must be quick and must outlive this object.
  void before_render(std::function<void()> refresh);
  // The same for gauges of one status: `read` is called once a render().
  template <class Read>
  void show(Read read, const std::vector<Shown<std::invoke_result_t<const Read&>>>& shown) {
    std::vector<Gauge> gauges;
    for (const auto& one : shown) gauges.push_back(gauge(one.name_, one.help_));
    before_render([read = std::move(read), shown, gauges = std::move(gauges)] {
      const auto status = read();
      for (std::size_t i = 0; i < gauges.size(); ++i) gauges[i].set(shown[i].value_(status));
    });
  }

  // Prometheus text format 0.0.4: Content-Type "text/plain; version=0.0.4; charset=utf-8".
  std::string render() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tideline::observability
