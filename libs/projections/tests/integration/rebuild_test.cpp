// The rebuild of a read model, over a real PostgreSQL and topics in memory: built, compared and
// exchanged while the old tables serve and events go on.

#include <gtest/gtest.h>

#include "postgres/connections/session_lock.hpp"
#include "rebuilt_service.hpp"

namespace tideline::postgres {
namespace {

using namespace testing;
using projections::RebuildOptions;

// Publishes, and reads what serves, until the end of its life.
class Traffic {
 public:
  explicit Traffic(RebuiltService& service)
      : writer_([&](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            service.publish(40);
            // No faster than a slow machine applies them, or what serves never comes to an end.
            std::this_thread::sleep_for(10ms);
          }
        }) {
    for (int i = 0; i < 3; ++i) {
      readers_.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto [seen, expected] = service.look();
          ++reads;
          if (seen != expected) ++wrong;
          last_difference = seen.count - expected.count;
        }
      });
    }
  }

  std::atomic<int> reads{0};
  std::atomic<int> wrong{0};
  std::atomic<std::int64_t> last_difference{0};

 private:
  std::jthread writer_;
  std::vector<std::jthread> readers_;
};

TEST(Rebuild, TablesAreExchangedUnderTrafficAndNoQueryEverSeesAnythingElseThanItsVector) {
  RebuiltService service;
  service.publish(2000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  {
    Traffic traffic(service);
    // Small tables are compared under the lock, large ones in a snapshot before: both ways.
    for (const std::int64_t locked_bytes_max : {64 << 20, 0}) {
      RebuildOptions wanted = RebuiltService::rebuild_options();
      wanted.compare_locked_bytes_max = locked_bytes_max;
      for (int round = 0; round < 3; ++round) {
        const auto before = service.number("SELECT 'counted'::regclass::oid::bigint");
        const auto report = service.rebuild(wanted);
        ASSERT_TRUE(report.ok()) << report.error().message;
        EXPECT_TRUE(report->switched);
        EXPECT_TRUE(report->comparison.equal);
        EXPECT_EQ(report->comparison.digest_old, report->comparison.digest_new);
        EXPECT_EQ(report->finding, "");
        EXPECT_NE(service.number("SELECT 'counted'::regclass::oid::bigint"), before);
      }
    }
    EXPECT_GT(traffic.reads, 100);
    EXPECT_EQ(traffic.wrong, 0) << "the last reader was off by " << traffic.last_difference;
  }
  ASSERT_TRUE(service.has_all());
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen, expected);
  EXPECT_GT(expected.count, 2000);
  EXPECT_TRUE(service.no_copy_is_left());
  EXPECT_EQ(service.number("SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'counted_%'"), 7);
}

TEST(Rebuild, VerifyingComparesAndLeavesEverythingAsItWas) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  const auto before = service.number("SELECT 'counted'::regclass::oid::bigint");
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.verify_only = true;
  const auto report = service.rebuild(wanted);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->comparison.equal);
  EXPECT_EQ(report->comparison.tables.size(), 2U);
  EXPECT_FALSE(report->switched);
  EXPECT_EQ(report->events, 1000U);
  EXPECT_EQ(service.number("SELECT 'counted'::regclass::oid::bigint"), before);
  EXPECT_TRUE(service.no_copy_is_left());
}

TEST(Rebuild, AChangedRowIsFoundAndNothingIsExchanged) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  service.write("UPDATE counted SET sum = sum + 1 WHERE stream = 'stream-2-7'");
  for (const bool verify_only : {true, false}) {
    for (const std::int64_t locked_bytes_max : {64 << 20, 0}) {
      RebuildOptions wanted = RebuiltService::rebuild_options();
      wanted.verify_only = verify_only;
      wanted.compare_locked_bytes_max = locked_bytes_max;
      const auto report = service.rebuild(wanted);
      ASSERT_TRUE(report.ok()) << report.error().message;
      EXPECT_FALSE(report->switched);
      EXPECT_FALSE(report->comparison.equal);
      EXPECT_NE(report->finding.find("counted: 100 rows, rebuilt 100"), std::string::npos)
          << report->finding;
      EXPECT_NE(report->finding.find("stream-2-7"), std::string::npos) << report->finding;
    }
  }
  // It is the events that are right.
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.allow_difference = true;
  const auto report = service.rebuild(wanted);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->switched);
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen, expected);
}

// What its flushes have deferred is in another row.
class PutsOff final : public Counted {
 public:
  void apply_deferred(sql::Transaction& transaction) override {
    transaction.execute(
        "WITH taken AS (DELETE FROM counted_total WHERE one = 2 RETURNING count)"
        " UPDATE counted_total SET count = counted_total.count + taken.count FROM taken"
        " WHERE one = 1");
  }
};

TEST(Rebuild, WhatWasPutOffIsDoneBeforeTablesAreCompared) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  for (const bool verify_only : {true, false}) {
    for (const std::int64_t locked_bytes_max : {64 << 20, 0}) {
      service.write("UPDATE counted_total SET count = count - 7");
      service.write("INSERT INTO counted_total VALUES (2, 7)");
      RebuildOptions wanted = RebuiltService::rebuild_options();
      wanted.verify_only = verify_only;
      wanted.compare_locked_bytes_max = locked_bytes_max;
      const auto report = service.rebuild(wanted, PutsOff());
      ASSERT_TRUE(report.ok()) << report.error().message;
      EXPECT_TRUE(report->comparison.equal) << report->finding;
      EXPECT_EQ(report->switched, !verify_only);
      EXPECT_EQ(service.number("SELECT count(*) FROM counted_total"), 1);
    }
  }
}

TEST(Rebuild, AStoppedRebuildGoesOnWhereItWas) {
  RebuiltService service;
  service.publish(100'000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.flush = {1h, 5'000};
  const auto copied = [&] {
    return service.number(
        "SELECT coalesce(sum(position), 0)::bigint FROM projection_checkpoint"
        " WHERE projection = 'counted-up@rebuild'");
  };
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return copied() > 0; }));
    stop.request_stop();
  });
  const auto stopped = service.rebuild(wanted, Counted(), stop.get_token());
  stopper.join();
  ASSERT_FALSE(stopped.ok());
  const auto kept = copied();
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 100'000);
  const auto report = service.rebuild(wanted);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->switched);
  EXPECT_EQ(report->events, 100'000U);
  EXPECT_LT(report->events_per_s * report->seconds, 100'000 - static_cast<double>(kept) + 1);
}

TEST(Rebuild, ACopyBegunByAnotherVersionIsThrownAway) {
  RebuiltService service;
  service.publish(20'000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  // Of the other version are only the rows that its copy has by now, and they are wrong.
  const auto set = counted_migrations();
  ASSERT_TRUE(migrate_into_schema(service.options, "rebuild_counted_up", "version 0", {&set, 1}));
  service.write("INSERT INTO rebuild_counted_up.counted VALUES ('of another version', 1, 1)");
  service.write(
      "INSERT INTO projection_checkpoint VALUES ('counted-up@rebuild', 'counter', 0, 1, 1, 1)");
  const auto report = service.rebuild(RebuiltService::rebuild_options());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->switched) << report->finding;
}

TEST(Rebuild, AnEventThatTheNewVersionCannotReadBlocks) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.allow_difference = true;
  const auto report = service.rebuild(wanted, Counted(1, {"stream-1-3"}));
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->switched);
  EXPECT_NE(report->finding.find("counter/1/3 Counted: unreadable"), std::string::npos)
      << report->finding;
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen, expected);
}

TEST(Rebuild, WhatIsParkedOnBothSidesDoesNotBlockAndWhatCanBeReadNowIsReleased) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>(1, std::set<std::string>{"stream-1-3"}));
  ASSERT_TRUE(service.has_all());
  EXPECT_EQ(service.runner->status().parked, 10U);
  const auto same = service.rebuild(RebuiltService::rebuild_options(), Counted(1, {"stream-1-3"}));
  ASSERT_TRUE(same.ok()) << same.error().message;
  EXPECT_TRUE(same->switched) << same->finding;
  EXPECT_EQ(service.number("SELECT count(*) FROM dead_letter WHERE projection = 'counted-up'"), 10);

  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.allow_difference = true;
  const auto repaired = service.rebuild(wanted);
  ASSERT_TRUE(repaired.ok()) << repaired.error().message;
  EXPECT_TRUE(repaired->switched) << repaired->finding;
  EXPECT_EQ(service.number("SELECT count(*) FROM dead_letter"), 0);
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen, expected);
}

TEST(Rebuild, SkippedEventsAreInput) {
  RebuiltService service;
  service.publish(1000);
  service.write(
      "INSERT INTO dead_letter_skip (projection, service, log, position, reason, skipped_by)"
      " VALUES ('counted-up', 'counter', 2, 8, 'a test', 'nobody')");
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  const auto report = service.rebuild(RebuiltService::rebuild_options());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->switched) << report->finding;
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen.count, expected.count - 1);
  EXPECT_EQ(service.number("SELECT count(*) FROM dead_letter_skip"), 1);
}

TEST(Rebuild, AnEventSkippedAfterTheCopyHadPassedItMakesTheCopyUseless) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  service.write("UPDATE counted SET sum = 0 WHERE stream = 'stream-2-7'");
  const auto different = service.rebuild(RebuiltService::rebuild_options());
  ASSERT_TRUE(different.ok());
  EXPECT_FALSE(different->switched);
  service.write(
      "INSERT INTO dead_letter_skip (projection, service, log, position, reason, skipped_by)"
      " VALUES ('counted-up', 'counter', 2, 8, 'a test', 'nobody')");
  const auto refused = service.rebuild(RebuiltService::rebuild_options());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("counter/2/8"), std::string::npos)
      << refused.error().message;
  ASSERT_TRUE(projections::abandon_rebuild(service.database, Counted()).ok());
  EXPECT_TRUE(service.no_copy_is_left());
}

TEST(Rebuild, NoTableIsEmptiedEvenWhereDifferencesAreAllowed) {
  RebuiltService service;
  service.publish(100);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  class Forgetful final : public Counted {
   public:
    void flush(sql::Transaction&) override {}
  };
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.allow_difference = true;
  const auto report = service.rebuild(wanted, Forgetful());
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->switched);
  EXPECT_NE(report->finding.find("would lose all of its"), std::string::npos) << report->finding;
}

TEST(Rebuild, ServingOwnersTakeUpTheNewTables) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>(2));  // counted wrongly, in memory too
  ASSERT_TRUE(service.has_all());
  const int loads = service.serving->loads;
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.allow_difference = true;
  const auto report = service.rebuild(wanted, Counted(1));
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_TRUE(report->switched) << report->finding;
  const auto rebuilt = service.number("SELECT sum(sum)::bigint FROM counted");
  service.publish(1);
  ASSERT_TRUE(service.has_all());
  EXPECT_GT(service.serving->loads, loads);
  EXPECT_EQ(service.serving->in_memory(), rebuilt + 2 * RebuiltService::number_at(0, 251));
}

TEST(Rebuild, WhatServesIsWaitedForUnlessItIsStuckAndMayDiffer) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  service.stop_serving();
  service.publish(1000);
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.live_deadline = 200ms;
  const auto refused = service.rebuild(wanted);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("does the service run?"), std::string::npos);
  wanted.allow_difference = true;
  const auto report = service.rebuild(wanted);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->switched) << report->finding;
  EXPECT_EQ(service.look().second.count, 2000);
  service.publish(500);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen, expected);
}

// It has read the checkpoints and not the tables yet: names are looked up anew for each statement,
// but what it sees in the new tables would be what they held when it began.
TEST(Rebuild, AQueryThatBeganBeforeTheExchangeIsWaitedFor) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  PooledDatabase own(service.options);
  auto ports = service.ports(own);
  std::atomic<bool> waited{false};
  std::atomic<bool> ended{false};
  ports.log = [&](std::string_view, const std::string& text) {
    waited = waited || text.find("a query of the service goes on") != std::string::npos;
  };
  std::jthread rebuild;
  const auto [seen, expected] = service.look([&] {
    rebuild = std::jthread([&] {
      Counted projection;
      const auto report =
          projections::Rebuild(projection, ports, RebuiltService::rebuild_options()).run({});
      EXPECT_TRUE(report.ok() && report->switched);
      ended = true;
    });
    EXPECT_TRUE(eventually([&] { return waited || ended; }));
  });
  rebuild.join();
  EXPECT_EQ(seen, expected) << "counted " << seen.count << " instead of " << expected.count;
  EXPECT_TRUE(waited);
}

// A query that goes on and on holds its tables: the exchange is tried again, and others are served
// meanwhile.
TEST(Rebuild, ALongQueryDelaysTheExchangeAndNothingElse) {
  RebuiltService service;
  service.publish(1000);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  std::atomic<bool> holds{false};
  std::atomic<bool> may_end{false};
  DatabaseOptions elsewhere = service.options;
  elsewhere.application_name = "a report of somebody";  // is not waited for by its snapshot
  PooledDatabase other(elsewhere);
  std::jthread holder([&] {
    const auto held = other.snapshot([&](sql::Transaction& transaction) {
      transaction.execute("SELECT count(*) FROM counted");
      holds = true;
      EXPECT_TRUE(eventually([&] { return may_end.load(); }));
    });
    EXPECT_TRUE(held.ok());
  });
  ASSERT_TRUE(eventually([&] { return holds.load(); }));
  std::jthread rebuild([&] {
    const auto report = service.rebuild(RebuiltService::rebuild_options());
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_TRUE(report->switched) << report->finding;
  });
  // It has begun to ask for the tables.
  ASSERT_TRUE(eventually([&] {
    return service.number(
               "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'"
               " AND NOT granted AND locktype = 'relation'") > 0;
  }));
  for (int i = 0; i < 20; ++i) {
    const auto [seen, expected] = service.look();
    EXPECT_EQ(seen, expected);
  }
  may_end = true;
  rebuild.join();
  EXPECT_TRUE(service.no_copy_is_left());
}

TEST(Rebuild, ATypeThatTheTablesNeedKeepsThemFromLeaving) {
  RebuiltService service;
  service.publish(100);
  service.serve(std::make_unique<Counted>());
  ASSERT_TRUE(service.has_all());
  PooledDatabase own(service.options);
  auto ports = service.ports(own);
  ports.make_schema = [make = ports.make_schema, &service](const auto& schema, const auto& mark) {
    auto made = make(schema, mark);
    service.write("CREATE TYPE " + schema + ".mood AS ENUM ('good')");
    service.write("ALTER TABLE " + schema + ".counted_total ADD mood " + schema + ".mood");
    return made;
  };
  RebuildOptions wanted = RebuiltService::rebuild_options();
  wanted.allow_difference = true;
  Counted projection;
  const auto report = projections::Rebuild(projection, ports, wanted).run({});
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("mood"), std::string::npos) << report.error().message;
  const auto [seen, expected] = service.look();
  EXPECT_EQ(seen, expected);
}

TEST(SessionLock, OneAtATimeHoldsAName) {
  const DatabaseOptions options = empty_database();
  auto first = SessionLock::take(options, "rebuild graph");
  ASSERT_TRUE(first.ok());
  EXPECT_NE(*first, nullptr);
  auto second = SessionLock::take(options, "rebuild graph");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*second, nullptr);
  auto other = SessionLock::take(options, "rebuild people");
  ASSERT_TRUE(other.ok());
  EXPECT_NE(*other, nullptr);
  first->reset();
  EXPECT_TRUE(eventually([&] {
    const auto again = SessionLock::take(options, "rebuild graph");
    return again.ok() && *again != nullptr;
  }));
}

}  // namespace
}  // namespace tideline::postgres
