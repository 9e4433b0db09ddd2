// The suite that every event store passes, on PostgreSQL with two stores as two processes have
// them: over one database, and over one in each of two clusters.
#include <optional>

#include "eventsourcing/testing/event_store_races.hpp"
#include "eventsourcing/testing/event_store_suite.hpp"
#include "fresh_database.hpp"
#include "postgres/store/event_store.hpp"
#include "two_clusters.hpp"

namespace tideline::eventsourcing::testing {
namespace {

postgres::EventStoreOptions store_options(std::uint32_t logs) {
  postgres::EventStoreOptions options;
  options.service = "feed";
  options.logs = logs;
  return options;
}

class PostgresBackend {
 public:
  explicit PostgresBackend(std::uint32_t logs)
      : options_(postgres::testing::fresh_database(logs)),
        pools_{postgres::PooledDatabase(options_), postgres::PooledDatabase(options_)},
        stores_{postgres::PostgresEventStore(pools_[0], clock_, random_, store_options(logs)),
                postgres::PostgresEventStore(pools_[1], clock_, random_, store_options(logs))} {}

  EventStore& store(int replica) { return stores_[replica]; }
  EventLog& log(int replica) { return stores_[replica]; }
  core::ManualClock& clock() { return clock_; }

 private:
  core::ManualClock clock_{*core::parse_iso8601("2026-03-04T05:06:07.000008Z")};
  core::SystemRandom random_;
  postgres::DatabaseOptions options_;
  postgres::PooledDatabase pools_[2];
  postgres::PostgresEventStore stores_[2];
};

class SpreadBackend {
 public:
  explicit SpreadBackend(std::uint32_t logs)
      : options_(postgres::testing::fresh_databases(logs)),
        pools_{postgres::testing::BothPools(options_), postgres::testing::BothPools(options_)},
        stores_{postgres::PostgresEventStore(pools_[0].places(logs), clock_, random_,
                                             store_options(logs)),
                postgres::PostgresEventStore(pools_[1].places(logs), clock_, random_,
                                             store_options(logs))} {}

  EventStore& store(int replica) { return stores_[replica]; }
  EventLog& log(int replica) { return stores_[replica]; }
  core::ManualClock& clock() { return clock_; }

 private:
  core::ManualClock clock_{*core::parse_iso8601("2026-03-04T05:06:07.000008Z")};
  core::SystemRandom random_;
  postgres::testing::BothOptions options_;
  postgres::testing::BothPools pools_[2];
  postgres::PostgresEventStore stores_[2];
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, EventStoreSuite, PostgresBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, EventStoreRaces, PostgresBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(TwoClusters, EventStoreSuite, SpreadBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(TwoClusters, EventStoreRaces, SpreadBackend);

}  // namespace
}  // namespace tideline::eventsourcing::testing
