#include "bench/http_servers.hpp"
#include "bench/report.hpp"

namespace tideline::bench {

int generate(const Load& load) {
  LoadGenerator generator(load, [](std::string& request) {
    request = "GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n";
    return std::size_t{0};
  });
  const std::string problem = generator.run();
  if (!problem.empty()) return failed(problem);
  auto& latencies = generator.latencies_ms().front();
  const auto answers = static_cast<double>(latencies.size());
  std::printf("{\"requests_per_s\":%.1f,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n", answers / load.seconds,
              percentile(latencies, 0.50), percentile(latencies, 0.99));
  return 0;
}

}  // namespace tideline::bench
