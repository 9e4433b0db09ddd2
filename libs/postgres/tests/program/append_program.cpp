// A process that appends once, so that a test can kill it in the middle:
//
//   append_program LOGS EVEN_CONNINFO ODD_CONNINFO KEY STREAM...
//
// Logs with an even number lie in the first database, the others in the second; the same conninfo
// twice is one database. Each stream must be new and gets one event; KEY is its idempotency key.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "postgres/store/event_store.hpp"

namespace {

using namespace tideline;

postgres::DatabaseOptions database_of(const char* conninfo) {
  postgres::DatabaseOptions options;
  options.conninfo = conninfo;
  return options;
}

eventsourcing::Append append_of(core::Timestamp now, const std::string& key,
                                const std::vector<std::string>& streams) {
  eventsourcing::Append append;
  append.time = now;
  for (const std::string& stream : streams) {
    append.streams.push_back({core::StreamId(stream), core::StreamVersion(0), {{"A", {}, "{}"}}});
  }
  append.idempotency = eventsourcing::IdempotencyKey{"me", "POST /v1/x", key, "hash"};
  append.result.body = "of the program";
  return append;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const auto logs = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  postgres::PooledDatabase even(database_of(argv[2]));
  postgres::PooledDatabase odd(database_of(argv[3]));
  const bool one = std::string(argv[2]) == argv[3];
  std::vector<postgres::PooledDatabase*> by_log;
  for (std::uint32_t log = 0; log < logs; ++log) {
    by_log.push_back(one || log % 2 == 0 ? &even : &odd);
  }
  core::SystemClock clock;
  core::SystemRandom random;
  postgres::EventStoreOptions options;
  options.service = "feed";
  options.logs = logs;
  postgres::PostgresEventStore store(postgres::LogDatabases(by_log), clock, random, options);
  const auto outcome = store.append(
      append_of(clock.now(), argv[4], std::vector<std::string>(argv + 5, argv + argc)));
  return outcome.ok() && std::holds_alternative<eventsourcing::Appended>(*outcome) ? 0 : 1;
}
