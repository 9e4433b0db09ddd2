// The client of the feed's benchmarks: timelines, authors' pages and moments in given shares, by
// people who are asked for uniformly, or (--skewed) a few of them much more often. Prints one JSON
// object: requests a second, and latencies of each kind. --may-be-refused: counts answers 503.
#include <CLI/CLI.hpp>
#include <array>
#include <random>
#include <string>

#include "bench/feed_people.hpp"
#include "bench/load_generator.hpp"
#include "bench/report.hpp"

namespace {

using namespace tideline::bench;

enum Kind : std::size_t { kTimeline, kAuthor, kPublish, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"timeline", "author", "publish"};

struct Options {
  Load load;
  std::uint32_t people = 1'000'000;
  std::uint32_t asked = 100'000;
  std::array<unsigned, kKinds> shares = {1, 0, 0};
  bool skewed = false;
};

class Requests {
 public:
  explicit Requests(const Options& options)
      : options_(options),
        order_(options.people),
        kinds_(options.shares.begin(), options.shares.end()) {}

  std::size_t operator()(std::string& request) {
    const auto kind = static_cast<Kind>(kinds_(numbers_));
    std::string path = "/v1/timeline";
    if (kind == kAuthor) path = "/v1/moments?author=" + std::to_string(somebody());
    if (kind == kPublish) path = "/v1/moments";
    request.append(kind == kPublish ? "POST " : "GET ").append(path);
    request.append(" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ");
    request.append(std::to_string(somebody()));
    if (kind == kPublish) {
      const std::string body =
          R"({"audience":"public","content":")" + text_of(++published_) + R"("})";
      request.append("\r\nContent-Type: application/json\r\nContent-Length: ");
      request.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
    } else {
      request.append("\r\n\r\n");
    }
    return kind;
  }

 private:
  // Skewed: more than half of them are of the first fifth, a fifth of the first hundredth.
  std::uint32_t somebody() {
    double share = uniform_(numbers_);
    if (options_.skewed) share = share * share * share;
    const auto asked = std::min(options_.asked, options_.people);
    return order_.at(static_cast<std::uint64_t>(share * asked));
  }

  const Options& options_;
  const Shuffled order_;
  std::mt19937_64 numbers_{std::random_device()()};
  std::uniform_real_distribution<double> uniform_;
  std::discrete_distribution<std::size_t> kinds_;
  std::uint64_t published_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The client of the feed's benchmarks");
  Options options;
  app.add_option("--port", options.load.port)->required();
  app.add_option("--connections", options.load.connections);
  app.add_option("--rate", options.load.rate);
  app.add_option("--seconds", options.load.seconds);
  app.add_option("--people", options.people)->check(CLI::PositiveNumber);
  app.add_option("--asked", options.asked)->check(CLI::PositiveNumber);
  app.add_option("--timelines", options.shares[kTimeline]);
  app.add_option("--authors", options.shares[kAuthor]);
  app.add_option("--publishes", options.shares[kPublish]);
  app.add_flag("--skewed", options.skewed);
  app.add_flag("--may-be-refused", options.load.may_be_refused);
  CLI11_PARSE(app, argc, argv);
  Requests requests(options);
  LoadGenerator generator(
      options.load, [&](std::string& request) { return requests(request); }, kKinds);
  const std::string problem = generator.run();
  if (!problem.empty()) return failed(problem);
  std::vector<double> all;
  std::string kinds;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    auto& latencies = generator.latencies_ms()[kind];
    all.insert(all.end(), latencies.begin(), latencies.end());
    kinds.append(",\"").append(kNames[kind]).append("_p99_ms\":");
    kinds.append(std::to_string(percentile(latencies, 0.99)));
    kinds.append(",\"").append(kNames[kind]).append("s\":");
    kinds.append(std::to_string(latencies.size()));
  }
  const auto requests_per_s = static_cast<double>(all.size()) / generator.seconds();
  std::printf(
      "{\"requests_per_s\":%.1f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,"
      "\"refused\":%llu%s}\n",
      requests_per_s, percentile(all, 0.5), percentile(all, 0.99), percentile(all, 0.999),
      static_cast<unsigned long long>(generator.refused()), kinds.c_str());
  return 0;
}
