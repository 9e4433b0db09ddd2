#include "observability/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <unordered_map>

#include "core/check.hpp"

namespace tideline::observability {
namespace {

constexpr std::string_view kRefusedName = "tideline_metrics_label_sets_refused_total";

constexpr std::array<double, 14> kLatencyBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                    0.1,    0.25,  0.5,    1,     2.5,  5,     10};

bool is_lower_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  });
}

// tideline_<part>_<what>...: at least three words.
bool is_metric_name(std::string_view name) {
  int words = 0;
  for (std::size_t begin = 0; begin <= name.size(); ++words) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    if (!is_lower_word(word) || (words == 0 && word != "tideline")) return false;
    begin = end + 1;
  }
  return words >= 3;
}

bool is_label_name(std::string_view name) {
  const bool lower = std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || letter == '_';
  });
  // "le" is what histograms call their own label.
  return lower && !name.empty() && name.front() != '_' && name != "le";
}

// Lengths first, so that two lists of values never make one key.
std::string key_of(LabelValues values) {
  std::string key;
  for (const std::string_view value : values) {
    key += std::to_string(value.size());
    key += ':';
    key += value;
  }
  return key;
}

template <class Metric>
class LabelledFamily {
 public:
  LabelledFamily(prometheus::Family<Metric>& family, std::vector<std::string> label_names,
                 std::vector<double> bounds, std::size_t label_sets_max, Counter refused)
      : family_(family),
        label_names_(std::move(label_names)),
        bounds_(std::move(bounds)),
        label_sets_max_(label_sets_max),
        refused_(refused) {}

  const std::vector<std::string>& label_names() const { return label_names_; }

  // nullptr above the limit.
  Metric* with(LabelValues values) {
    CHECK(values.size() == label_names_.size(), "one value for each label");
    const std::string key = key_of(values);
    const std::lock_guard lock(mutex_);
    const auto known = metrics_.find(key);
    if (known != metrics_.end()) return known->second;
    if (metrics_.size() >= label_sets_max_) {
      refused_.add();
      return nullptr;
    }
    prometheus::Labels labels;
    auto name = label_names_.begin();
    for (const std::string_view value : values) labels.emplace(*name++, value);
    Metric* metric = nullptr;
    if constexpr (std::is_same_v<Metric, prometheus::Histogram>) {
      metric = &family_.Add(labels, bounds_);
    } else {
      metric = &family_.Add(labels);
    }
    metrics_.emplace(key, metric);
    return metric;
  }

 private:
  prometheus::Family<Metric>& family_;
  const std::vector<std::string> label_names_;
  const std::vector<double> bounds_;
  const std::size_t label_sets_max_;
  const Counter refused_;
  std::mutex mutex_;
  std::unordered_map<std::string, Metric*> metrics_;
};

}  // namespace

void Counter::add(double amount) const {
  CHECK(amount >= 0, "a counter only grows");
  if (counter_ != nullptr) counter_->Increment(amount);
}
double Counter::value() const { return counter_ == nullptr ? 0 : counter_->Value(); }

void Gauge::set(double value) const {
  if (gauge_ != nullptr) gauge_->Set(value);
}
void Gauge::add(double amount) const {
  if (gauge_ != nullptr) gauge_->Increment(amount);
}
double Gauge::value() const { return gauge_ == nullptr ? 0 : gauge_->Value(); }

void Histogram::observe(double value) const {
  if (histogram_ != nullptr) histogram_->Observe(value);
}

struct CounterFamily::State : LabelledFamily<prometheus::Counter> {
  using LabelledFamily::LabelledFamily;
};
struct GaugeFamily::State : LabelledFamily<prometheus::Gauge> {
  using LabelledFamily::LabelledFamily;
};
struct HistogramFamily::State : LabelledFamily<prometheus::Histogram> {
  using LabelledFamily::LabelledFamily;
};

Counter CounterFamily::with(LabelValues values) const {
  return state_ ? Counter(state_->with(values)) : Counter();
}
Gauge GaugeFamily::with(LabelValues values) const {
  return state_ ? Gauge(state_->with(values)) : Gauge();
}
Histogram HistogramFamily::with(LabelValues values) const {
  return state_ ? Histogram(state_->with(values)) : Histogram();
}

std::span<const double> latency_buckets() { return kLatencyBuckets; }

struct Metrics::State {
  explicit State(MetricsOptions given) : options(given) {}

  template <class FamilyState>
  using ByName = std::map<std::string, std::shared_ptr<FamilyState>, std::less<>>;

  // The family of this name; made by `build` the first time.
  template <class FamilyState, class Build>
  std::shared_ptr<FamilyState> family(ByName<FamilyState>& families, std::string_view name,
                                      std::string_view help,
                                      const std::vector<std::string>& label_names,
                                      std::span<const double> bounds, const Build& build) {
    const std::string text(name);
    CHECK(is_metric_name(name), text.c_str());
    CHECK(std::all_of(label_names.begin(), label_names.end(), is_label_name), text.c_str());
    const std::lock_guard lock(mutex);
    const auto known = families.find(name);
    if (known != families.end()) {
      CHECK(known->second->label_names() == label_names, text.c_str());
      return known->second;
    }
    CHECK(!counters.contains(name) && !gauges.contains(name) && !histograms.contains(name),
          text.c_str());
    auto& built = build().Name(text).Help(std::string(help)).Register(registry);
    const Counter refused_here = name == kRefusedName ? Counter() : refused.with({name});
    auto made = std::make_shared<FamilyState>(built, label_names,
                                              std::vector<double>(bounds.begin(), bounds.end()),
                                              options.label_sets_max, refused_here);
    families.emplace(text, made);
    return made;
  }

  const MetricsOptions options;
  prometheus::Registry registry;
  std::mutex mutex;
  ByName<CounterFamily::State> counters;
  ByName<GaugeFamily::State> gauges;
  ByName<HistogramFamily::State> histograms;
  CounterFamily refused;
  std::vector<std::function<void()>> refreshes;
};

Metrics::Metrics(MetricsOptions options) : state_(std::make_unique<State>(options)) {
  state_->refused =
      counters(kRefusedName, "Sets of label values refused above the limit", {"metric"});
}

Metrics::~Metrics() = default;

CounterFamily Metrics::counters(std::string_view name, std::string_view help,
                                const std::vector<std::string>& label_names) {
  CHECK(name.ends_with("_total"), "the name of a counter ends with _total");
  return CounterFamily(state_->family(state_->counters, name, help, label_names, {},
                                      [] { return prometheus::BuildCounter(); }));
}

GaugeFamily Metrics::gauges(std::string_view name, std::string_view help,
                            const std::vector<std::string>& label_names) {
  CHECK(!name.ends_with("_total"), "the name of a gauge does not end with _total");
  return GaugeFamily(state_->family(state_->gauges, name, help, label_names, {},
                                    [] { return prometheus::BuildGauge(); }));
}

HistogramFamily Metrics::histograms(std::string_view name, std::string_view help,
                                    const std::vector<std::string>& label_names,
                                    std::span<const double> bounds) {
  CHECK(!bounds.empty() && std::is_sorted(bounds.begin(), bounds.end()), "bounds rise");
  return HistogramFamily(state_->family(state_->histograms, name, help, label_names, bounds,
                                        [] { return prometheus::BuildHistogram(); }));
}

Counter Metrics::counter(std::string_view name, std::string_view help) {
  return counters(name, help, {}).with({});
}
Gauge Metrics::gauge(std::string_view name, std::string_view help) {
  return gauges(name, help, {}).with({});
}
Histogram Metrics::histogram(std::string_view name, std::string_view help,
                             std::span<const double> bounds) {
  return histograms(name, help, {}, bounds).with({});
}

void Metrics::before_render(std::function<void()> refresh) {
  const std::lock_guard lock(state_->mutex);
  state_->refreshes.push_back(std::move(refresh));
}

std::string Metrics::render() const {
  std::vector<std::function<void()>> refreshes;
  {
    const std::lock_guard lock(state_->mutex);
    refreshes = state_->refreshes;
  }
  // Without the lock: a refresh may itself register a metric.
  for (const std::function<void()>& refresh : refreshes) refresh();
  return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace tideline::observability
