// Deliveries of moments to timelines in the feed's engine, from events that are decoded already:
// one core. Everybody publishes as often as anybody else, once in 100 s, to all his contacts.
//
// Each line on stdin is one round; it prints one JSON object. --mode limit: bare appends to as many
// arrays at random instead, which is what the machine's memory allows.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/power_law_graph.hpp"
#include "bench/report.hpp"
#include "core/zeroed_pages.hpp"
#include "feed/projections/engine/feed_engine.hpp"

namespace {

using namespace tideline;
using SteadyClock = std::chrono::steady_clock;

struct Options {
  std::string mode = "engine";
  std::string graph;  // a file of two numbers a line; "" = a power law
  bench::PowerLaw law;
  std::size_t timeline_length = 128;
  std::size_t memory_mib = 4'096;  // taken before the first event
  double seconds = 5;
};

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Takes memory of the system in advance, for what is allocated later: a page that a virtual machine
// has never had can cost many times what one does that it has had before, and the appends that we
// are measured against take none while they are measured. fanout.py has it kept.
void take_memory(std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 26;
  std::vector<std::vector<char>> pieces;
  for (std::size_t taken = 0; taken < bytes; taken += kPiece) pieces.emplace_back(kPiece, '\1');
}

class Engine {
 public:
  explicit Engine(const Options& options)
      : engine_(
            {.timeline_length_max = options.timeline_length,
             .timeline_bytes_max = std::size_t{1} << 38,
             .rules = {},
             .on_fan_out = [this](const feed::FanOut& told) { deliveries_ += told.deliveries; }}) {
    const auto pairs = bench::graph_of(options.graph, options.law);
    const std::uint32_t people = bench::people_in(pairs);
    std::mt19937_64 numbers(1);
    for (std::uint32_t i = 0; i < people; ++i) {
      core::AccountId::Bytes bytes;
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(numbers());
      people_.emplace_back(bytes);
      // Names him, so that numbers follow the order of the pairs.
      engine_.use(feed::read::Unfollowed{people_.back(), people_.back()});
    }
    for (const auto& [one, other] : pairs) {
      engine_.use(feed::read::ContactAccepted{people_[one], people_[other]});
    }
    const std::uint64_t full = people_.size() * options.timeline_length;
    while (deliveries_ < full) engine_.use(next_moment());
  }

  // Events are made before their time begins. As a batch of a topic, they are told of in advance.
  double deliveries_per_s(double seconds) {
    const auto before = deliveries_;
    std::vector<feed::read::Event> events(4096);
    double spent = 0;
    while (spent < seconds) {
      for (auto& event : events) event = next_moment();
      const auto start = SteadyClock::now();
      for (std::size_t i = 0; i < events.size() + kAhead; ++i) {
        if (i < events.size()) engine_.prefetch_decoded(events[i]);
        if (i >= kAhead) engine_.use(events[i - kAhead]);
      }
      spent += seconds_since(start);
    }
    return static_cast<double>(deliveries_ - before) / spent;
  }

 private:
  static constexpr std::size_t kAhead = eventsourcing::Projection::kPrefetchAhead;
  static constexpr core::Timestamp kFirst{std::chrono::milliseconds(1'800'000'000'000)};
  // In which as many moments come as there are people: whatever their number, as many ids of one
  // millisecond meet in a timeline, in any order.
  static constexpr std::chrono::microseconds kEveryone{100'000'000};
  static constexpr std::uint32_t kSequences = 1U << 14U;

  feed::read::MomentPublished next_moment() {
    const auto& author = people_[numbers_() % people_.size()];
    feed::read::MomentPublished event;
    event.published_at = kFirst + moments_ * (kEveryone / people_.size());
    event.id = core::make_moment_id(event.published_at, author, moments_++ % kSequences);
    event.author = author;
    event.audience = feed::Audience::Public;
    return event;
  }

  std::uint64_t deliveries_ = 0;
  std::uint32_t moments_ = 0;
  std::mt19937_64 numbers_{2};
  std::vector<core::AccountId> people_;
  feed::FeedEngine engine_;
};

// The same arrays without a graph, an order or a bound that drops anything, as fast as memory takes
// it: on huge pages as the engine's, and the processor is told of each place twice kAhead appends
// before.
class Arrays {
 public:
  Arrays(std::uint32_t people, std::size_t length)
      : people_(people),
        length_(length),
        ids_memory_(people * length * sizeof(std::uint64_t), core::PageSize::Large),
        ends_memory_(people * sizeof(std::uint32_t), core::PageSize::Large),
        ids_(static_cast<std::uint64_t*>(ids_memory_.data())),
        ends_(static_cast<std::uint32_t*>(ends_memory_.data())) {
    for (std::uint32_t& who : next_) who = somebody();
  }

  double deliveries_per_s(double seconds) {
    std::uint64_t appends = 0;
    const auto start = SteadyClock::now();
    while (seconds_since(start) < seconds) {
      for (std::size_t i = 0; i < 4096; ++i) append(i);
      appends += 4096;
    }
    return static_cast<double>(appends) / seconds_since(start);
  }

 private:
  static constexpr std::size_t kAhead = 32;

  std::uint32_t somebody() {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>(((random_ >> 32) * people_) >> 32);
  }

  void append(std::size_t i) {
    const std::uint32_t who = next_[i % next_.size()];
    const std::uint32_t soon = next_[(i + kAhead) % next_.size()];
    const std::uint32_t later = somebody();
    next_[i % next_.size()] = later;
    __builtin_prefetch(&ends_[later], 1);
    __builtin_prefetch(&ids_[soon * length_ + ends_[soon]], 1);
    std::uint32_t& end = ends_[who];
    ids_[who * length_ + end] = random_;
    end = end + 1 == length_ ? 0 : end + 1;
  }

  std::uint64_t people_;
  std::size_t length_;
  core::ZeroedPages ids_memory_;
  core::ZeroedPages ends_memory_;
  std::uint64_t* ids_;
  std::uint32_t* ends_;
  std::array<std::uint32_t, 2 * kAhead> next_{};
  std::uint64_t random_ = 1;
};

template <class Measured>
int serve(Measured& measured, double seconds) {
  for (std::string line; std::getline(std::cin, line);) {
    std::printf("{\"deliveries_per_s\":%.0f}\n", measured.deliveries_per_s(seconds));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"fan-out in the feed's engine"};
  Options options;
  app.add_option("--mode", options.mode)->check(CLI::IsMember({"engine", "limit"}));
  app.add_option("--graph", options.graph)->check(CLI::ExistingFile);
  app.add_option("--people", options.law.people)->check(CLI::PositiveNumber);
  app.add_option("--contacts-mean", options.law.contacts_mean);
  app.add_option("--contacts-max", options.law.contacts_max);
  app.add_option("--timeline-length", options.timeline_length)->check(CLI::PositiveNumber);
  app.add_option("--memory-mib", options.memory_mib);
  app.add_option("--seconds", options.seconds);
  CLI11_PARSE(app, argc, argv);
  if (options.mode == "limit") {
    Arrays arrays(options.law.people, options.timeline_length);
    arrays.deliveries_per_s(options.seconds);
    return serve(arrays, options.seconds);
  }
  take_memory(options.memory_mib << 20);
  Engine engine(options);
  return serve(engine, options.seconds);
}
