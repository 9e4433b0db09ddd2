// What all programs of the feed's benchmarks are told.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/power_law_graph.hpp"
#include "bench/report.hpp"
#include "core/result.hpp"

namespace tideline::bench {

struct FeedOptions {
  std::string database;         // of the service
  std::string peer_database;    // of the query
  bool peer_timelines = false;  // it has everybody's, of the moments that there are
  std::string brokers;
  std::string redis;  // its socket
  std::string graph;  // a file of two numbers a line; "" = a power law
  PowerLaw law;
  std::uint32_t corpus = 0;  // so many moments to search; 0 = one by each of the people
  // So many of the people are asked for and publish; peers know no more of the graph than theirs.
  std::uint32_t asked = 100'000;
  std::size_t timeline_length = 128;
  std::size_t content_bytes = std::size_t{4} << 30;

  void add_to(CLI::App& app) {
    app.add_option("--database", database);
    app.add_option("--peer-database", peer_database);
    app.add_flag("--peer-timelines", peer_timelines);
    app.add_option("--brokers", brokers);
    app.add_option("--redis", redis);
    app.add_option("--graph", graph);
    app.add_option("--people", law.people)->check(CLI::PositiveNumber);
    app.add_option("--contacts-mean", law.contacts_mean);
    app.add_option("--contacts-max", law.contacts_max);
    app.add_option("--corpus", corpus);
    app.add_option("--asked", asked)->check(CLI::PositiveNumber);
    app.add_option("--timeline-length", timeline_length)->check(CLI::PositiveNumber);
    app.add_option("--content-bytes", content_bytes);
  }
};

// Ends the program where there is no figure to be had.
template <class T>
T must(core::Result<T> result) {
  if (!result.ok()) std::exit(failed(result.error().message));
  return std::move(result).value();
}

}  // namespace tideline::bench
