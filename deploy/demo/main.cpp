// The demo: a campus comes to life through the gateway, and everything that is read back is checked
// against the demo's own computation. Exit code 0: verified; 1: the first difference is printed;
// 2: bad arguments, or a graph that the suite does not take.

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <thread>

#include "demo/campus.hpp"
#include "demo/graph.hpp"
#include "demo/oracle.hpp"
#include "demo/summary.hpp"
#include "demo/verify.hpp"

namespace tideline::demo {
namespace {

struct Options {
  std::string gateway = "http://127.0.0.1:18080";
  std::string authority_file;
  std::string at;
  std::string graph_file;
  std::size_t people = 200;
  std::size_t friends_each = 12;
  std::size_t contact_limit = 5000;
  std::uint64_t seed = 1;
  std::size_t moments_each = 4;
  std::size_t workers = 24;
  std::size_t sample = 200;
  std::size_t top = 20;
  std::size_t timed = 200;
  std::chrono::seconds::rep patience = 0;
  std::string run;
  std::vector<std::string> metrics;
};

using SteadyClock = std::chrono::steady_clock;

// Different for every run on one installation, short, and sorted by time.
std::string name_of_run() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text;
  for (auto rest = seconds; rest > 0; rest /= 36) text.insert(0, 1, kDigits[rest % 36]);
  return text;
}

Endpoint gateway_of(const Options& options) {
  Endpoint gateway = parse_endpoint(options.gateway);
  gateway.authority_file = options.authority_file;
  gateway.at = options.at;
  return gateway;
}

// The sum of a gauge over the services' metrics pages.
std::uint64_t events_appended(const std::vector<std::string>& urls, Traffic& traffic) {
  double sum = 0;
  for (const std::string& url : urls) {
    Client client(parse_endpoint(url), traffic, 0);
    std::istringstream page(client.expect(200, {"GET", "/metrics", "", nullptr, ""}).body);
    const std::string name = "tideline_events_appended ";
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with(name)) sum += std::stod(line.substr(name.size()));
    }
  }
  return static_cast<std::uint64_t>(sum);
}

// Until the suite answers without a token, or its patience is over.
void await_suite(const Options& options, Traffic& traffic) {
  const auto deadline = SteadyClock::now() + std::chrono::seconds(options.patience);
  while (SteadyClock::now() < deadline) {
    try {
      Client client(gateway_of(options), traffic, 0);
      if (client.once({"GET", "/.well-known/jwks.json", "", nullptr, ""}).status == 200) return;
    } catch (const Unanswered&) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::uint64_t deliveries_of(const World& world) {
  std::uint64_t deliveries = 0;
  for (PersonIndex viewer = 0; viewer < world.people.size(); ++viewer) {
    deliveries += timeline_of(world, viewer).size();
  }
  return deliveries;
}

int run(const Options& options) {
  const auto start = SteadyClock::now();
  core::Result<Graph> graph =
      options.graph_file.empty()
          ? core::Result<Graph>(generate_campus(options.people, options.friends_each, options.seed))
          : read_edges(options.graph_file);
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().message.c_str());
    return 2;
  }
  if (const auto checked = check_contact_limit(*graph, options.contact_limit); !checked) {
    std::fprintf(stderr, "%s\n", checked.error().message.c_str());
    return 2;
  }
  const Plan plan = make_plan(*graph, options.moments_each, options.seed);
  const std::string name = options.run.empty() ? name_of_run() : options.run;
  std::printf("Campus of %zu people and %zu friendships, seed %llu, user ids %s-...\n",
              graph->names.size(), graph->edges.size(),
              static_cast<unsigned long long>(options.seed), name.c_str());

  Traffic traffic;
  await_suite(options, traffic);
  WorkerPool workers(gateway_of(options), options.workers, traffic);
  Campus campus(workers, *graph, plan, name);
  Measured measured;
  const std::uint64_t events_before = events_appended(options.metrics, traffic);

  campus.come_together();
  campus.wait_until_caught_up();
  const auto publishing = SteadyClock::now();
  campus.publish(plan.moments_before, "moments published");
  campus.wait_until_caught_up();
  measured.publishing = SteadyClock::now() - publishing;
  measured.moments = plan.moments_before.size();
  measured.deliveries = deliveries_of(campus.world());
  campus.change();
  campus.publish(plan.moments_after, "more moments published");
  measured.publish_to_visible = campus.publish_to_visible(options.timed);
  campus.wait_until_caught_up();

  const Verified verified = verify(workers, campus, options.sample, options.top, options.seed);
  measured.events = events_appended(options.metrics, traffic) - events_before;
  measured.whole = SteadyClock::now() - start;
  print_summary(workers, campus, verified, measured, traffic);
  std::printf("\nVERIFIED\n");
  return 0;
}

}  // namespace
}  // namespace tideline::demo

int main(int argc, char** argv) {
  using namespace tideline::demo;
  Options options;
  CLI::App app("Brings a campus to life through Tideline's gateway and checks every answer.");
  app.add_option("--gateway", options.gateway, "URL of the gateway")->capture_default_str();
  app.add_option(
         "--authority", options.authority_file,
         "PEM file: who vouches for a gateway with https, in place of whom this machine trusts")
      ->check(CLI::ExistingFile);
  app.add_option("--at", options.at, "host that is asked, where names do not tell the gateway's");
  app.add_option("--graph", options.graph_file, "file of edges: two ids a line");
  app.add_option("--people", options.people, "without --graph: size of the generated campus")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  app.add_option("--friends", options.friends_each, "of each newcomer of a generated campus")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--contact-limit", options.contact_limit,
                 "the suite's TIDELINE_CONTACT_LIMIT: a graph with a person above it is refused")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "same seed, same campus")->capture_default_str();
  app.add_option("--moments", options.moments_each, "that each person publishes")
      ->capture_default_str();
  app.add_option("--workers", options.workers, "requests at a time")
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  app.add_option("--sample", options.sample, "people whose timelines are verified")
      ->capture_default_str();
  app.add_option("--top", options.top, "best connected people who are verified too")
      ->capture_default_str();
  app.add_option("--timed", options.timed, "moments timed from author to reader")
      ->capture_default_str();
  app.add_option("--patience", options.patience, "seconds to wait for a suite that is not up yet")
      ->check(CLI::Range(0, 3600))
      ->capture_default_str();
  app.add_option("--run", options.run, "first part of the user ids; new for each run by default");
  app.add_option("--metrics", options.metrics, "URLs of services, to count their events");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? 0 : 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return run(options);
  } catch (const std::exception& difference) {
    std::printf("\n");
    std::fprintf(stderr, "FAILED: %s\n", difference.what());
    return 1;
  }
}
