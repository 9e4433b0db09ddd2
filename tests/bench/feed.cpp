// The servers of the feed's benchmarks, and what they answer from.
//
//   fill      writes the same people and moments for all of them
//   service   the feed service over PostgreSQL and Kafka, its graph made beforehand
//   query     the peer that asks PostgreSQL for every timeline
//   redis     the peer that keeps timelines and moments in Redis
//
// Servers print where they listen, and run until they are ended.
#include <CLI/CLI.hpp>

#include "bench/feed_fill.hpp"
#include "bench/feed_server.hpp"
#include "bench/feed_service.hpp"

int main(int argc, char** argv) {
  using namespace tideline::bench;
  CLI::App app("feed");
  app.require_subcommand(1);
  FeedOptions options;
  for (const char* name : {"fill", "service", "query", "redis"}) {
    options.add_to(*app.add_subcommand(name));
  }
  CLI11_PARSE(app, argc, argv);
  const std::string& command = app.get_subcommands().front()->get_name();
  if (command == "fill") return fill_feed(options);
  if (command == "service") return serve_service(options);
  if (command == "query") {
    return serve_query(options.peer_database, options.law.people, options.asked);
  }
  return serve_redis(options.redis, options.law.people, options.asked);
}
