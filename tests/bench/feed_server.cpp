#include "bench/feed_server.hpp"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <random>

#include "bench/http_servers.hpp"
#include "bench/report.hpp"

namespace tideline::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kWorkers = 32;  // as the services have by default

}  // namespace

core::Result<http::VerifiedToken> NumberVerifier::verify(std::string_view bearer,
                                                         core::Timestamp now) {
  std::uint32_t person = 0;
  const char* end = bearer.data() + bearer.size();
  if (std::from_chars(bearer.data(), end, person).ptr != end) {
    return core::invalid_input("no number");
  }
  return http::VerifiedToken{{account_of_(person), {}}, now + std::chrono::hours(1)};
}

int serve_feed(http::Router& router, const core::Clock& clock) {
  http::ServerOptions options;
  options.reactor_threads = 1;
  options.worker_threads = kWorkers;
  http::Server server(options, router, clock);
  const auto started = server.start();
  if (!started) return failed(started.error().message);
  announce(server.port());
  pause();
  return 0;
}

void add_alone(http::Router& router, const Shuffled& order, std::uint32_t asked, ReadPage read,
               std::function<void(std::uint32_t person)> ahead) {
  const auto measure = [=](const http::Request& request) {
    const double seconds = std::stod(std::string(request.query("seconds").value_or("1")));
    const auto begin = SteadyClock::now();
    const auto end = begin + std::chrono::duration_cast<SteadyClock::duration>(
                                 std::chrono::duration<double>(seconds));
    std::atomic<std::uint64_t> pages{0};
    std::atomic<std::uint64_t> bytes{0};
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
        threads.emplace_back([&, i] {
          std::mt19937_64 numbers(i);
          std::uint64_t pages_here = 0;
          std::uint64_t bytes_here = 0;
          const auto draw = [&] { return order.at(numbers() % std::min(asked, order.people())); };
          for (std::uint32_t person = draw(); SteadyClock::now() < end; ++pages_here) {
            const std::uint32_t next = draw();
            ahead(next);
            bytes_here += read(person).size();
            person = next;
          }
          pages += pages_here;
          bytes += bytes_here;
        });
      }
    }
    const std::chrono::duration<double> took = SteadyClock::now() - begin;
    return http::Response::text(
        200, "application/json",
        "{\"pages_per_s\":" + std::to_string(static_cast<double>(pages) / took.count()) +
            ",\"bytes_a_page\":" + std::to_string(bytes / std::max<std::uint64_t>(1, pages)) + "}");
  };
  router.add(http::Method::Get, "/alone", http::Access::Public, measure);
}

}  // namespace tideline::bench
