// A service with one projection as far as its tables go: a database, topics in memory, a runner
// that serves, and a rebuild beside it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventsourcing/topics/in_memory_topics.hpp"
#include "postgres/projections/checkpoints.hpp"
#include "postgres/tests/integration/fresh_database.hpp"
#include "projections/rebuild/rebuild.hpp"
#include "projections/runner/projection_runner.hpp"

namespace tideline::postgres::testing {

using namespace std::chrono_literals;
using sql::Transaction;

inline constexpr std::uint32_t kLogs = 4;
inline constexpr auto kDeadline = 60s;

inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// Counts and adds up the numbers of each stream, by deltas; `weight` is what version of the code it
// is, `poison` the streams whose events it cannot read. Keeps the totals in memory as well.
class Counted : public eventsourcing::Projection {
 public:
  explicit Counted(std::int64_t weight = 1, std::set<std::string> poison = {})
      : weight_(weight), poison_(std::move(poison)) {}

  std::string_view name() const override { return "counted-up"; }
  std::vector<std::string> sources() const override { return {"counter"}; }
  std::vector<std::string> tables() const override { return {"counted", "counted_total"}; }
  eventsourcing::FlushPolicy flush_policy() const override { return {20ms, 200}; }

  void load(sql::Transaction& transaction) override {
    deltas_.clear();
    in_memory_ =
        transaction.execute("SELECT coalesce(sum(sum), 0)::bigint FROM counted").at(0).integer(0);
    ++loads;
  }
  void apply(const eventsourcing::RecordedEvent& event) override {
    if (poison_.contains(event.stream.value())) throw eventsourcing::PoisonEvent("unreadable");
    auto& [count, sum] = deltas_[event.stream.value()];
    ++count;
    sum += weight_ * std::stoll(event.data);
    in_memory_ += weight_ * std::stoll(event.data);
  }
  eventsourcing::Preparation prepare_flush() override {
    prepared_ = true;
    return {};
  }
  void flush(sql::Transaction& transaction) override {
    EXPECT_TRUE(std::exchange(prepared_, false)) << "a flush that was not prepared";
    std::vector<std::string> streams;
    std::vector<std::int64_t> counts, sums;
    std::int64_t all = 0;
    for (const auto& [stream, delta] : deltas_) {
      streams.push_back(stream);
      counts.push_back(delta.first);
      sums.push_back(delta.second);
      all += delta.first;
    }
    transaction.execute(
        "INSERT INTO counted AS c (stream, count, sum)"
        " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) ON CONFLICT (stream)"
        " DO UPDATE SET count = c.count + excluded.count, sum = c.sum + excluded.sum",
        {streams, counts, sums});
    transaction.execute(
        "INSERT INTO counted_total AS t (one, count) VALUES (1, $1::bigint)"
        " ON CONFLICT (one) DO UPDATE SET count = t.count + excluded.count",
        {all});
  }
  void flushed() override { deltas_.clear(); }

  std::int64_t in_memory() const { return in_memory_; }
  std::atomic<int> loads{0};

 private:
  bool prepared_ = false;
  const std::int64_t weight_;
  const std::set<std::string> poison_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> deltas_;
  std::atomic<std::int64_t> in_memory_{0};
};

inline MigrationSet counted_migrations() {
  return {"counter",
          {{1, "counted", R"(
CREATE FUNCTION nothing() RETURNS int LANGUAGE sql AS 'SELECT 0';
CREATE TABLE counted (stream text PRIMARY KEY, count bigint NOT NULL, sum bigint NOT NULL)
  PARTITION BY HASH (stream);
CREATE TABLE counted_0 PARTITION OF counted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE counted_1 PARTITION OF counted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE of_another (id bigint PRIMARY KEY);)"},
           {2, "total", R"(
CREATE TABLE counted_total (one int PRIMARY KEY, count bigint NOT NULL);
CREATE INDEX counted_by_sum ON counted (sum);)"}}};
}

class RebuiltService {
 public:
  // Numbers are a function of the place, so that any vector has one right answer.
  static std::int64_t number_at(std::uint32_t log, std::uint64_t position) {
    return static_cast<std::int64_t>((log * 7 + position * 13) % 97 + 1);
  }
  // Events of one stream lie in one log.
  static std::string stream_at(std::uint32_t log, std::uint64_t position) {
    return "stream-" + std::to_string(log) + "-" + std::to_string(position % 25);
  }

  RebuiltService() : options(migrated()), database(options), topics(kLogs) {}
  ~RebuiltService() { stop_serving(); }

  void publish(std::uint64_t events) {
    for (std::uint64_t i = 0; i < events; ++i) {
      const auto log = static_cast<std::uint32_t>(i % kLogs);
      eventsourcing::RecordedEvent event;
      event.source = "counter";
      event.type = "Counted";
      event.log = core::LogIndex(log);
      event.position = core::LogPosition(++last_[log]);
      event.stream = core::StreamId(stream_at(log, last_[log]));
      event.id = std::to_string(log) + "/" + std::to_string(last_[log]);
      event.data = std::to_string(number_at(log, last_[log]));
      topics.publish(std::move(event));
    }
  }

  // The runner that serves.
  void serve(std::unique_ptr<Counted> projection) {
    stop_serving();
    serving = std::move(projection);
    runner = std::make_unique<projections::ProjectionRunner>(
        *serving,
        projections::RunnerPorts{database, topics.source({"counter"}), {}, logger("serving")},
        kLogs);
    thread_ = std::jthread([this](std::stop_token stop) { runner->run(std::move(stop)); });
  }
  void stop_serving() { thread_ = {}; }
  bool has_all() {
    return eventually([&] {
      const auto applied = runner->applied().current();
      for (std::uint32_t log = 0; log < kLogs; ++log) {
        if (applied.at("counter", core::LogIndex(log)).value() < last_[log]) return false;
      }
      return true;
    });
  }

  projections::RebuildPorts ports(sql::Database& own) {
    return {.database = own,
            .make_schema =
                [this](const std::string& schema, const std::string& mark) {
                  const auto set = counted_migrations();
                  return migrate_into_schema(options, schema, mark, {&set, 1});
                },
            .open_source = [this] { return topics.source({"counter"}); },
            .report_gap = {},
            .log = logger("rebuild"),
            .progress = {}};
  }
  static projections::RebuildOptions rebuild_options() {
    projections::RebuildOptions wanted;
    wanted.logs = kLogs;
    wanted.mark = "version 1";
    wanted.live_deadline = 60s;  // beside a writer and three readers that never rest
    return wanted;
  }
  core::Result<projections::RebuildReport> rebuild(projections::RebuildOptions wanted,
                                                   Counted&& projection = Counted(),
                                                   std::stop_token stop = {}) {
    PooledDatabase own(options);
    return projections::Rebuild(projection, ports(own), std::move(wanted)).run(std::move(stop));
  }

  struct Seen {
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t total = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  // In one snapshot: what the tables hold, and what they must hold by the checkpoints beside them.
  // `between` runs after the checkpoints have been read and before the tables are.
  std::pair<Seen, Seen> look(const std::function<void()>& between = [] {}) {
    const auto seen = database.read([&](sql::Transaction& transaction) {
      const auto positions = postgres::checkpoints::positions_of(
          postgres::checkpoints::held(transaction, "counted-up"));
      between();
      const auto rows = transaction.execute(
          "SELECT coalesce(sum(count), 0)::bigint, coalesce(sum(sum), 0)::bigint FROM counted");
      const auto total =
          transaction.execute("SELECT coalesce(sum(count), 0)::bigint FROM counted_total");
      return std::pair(Seen{rows.at(0).integer(0), rows.at(0).integer(1), total.at(0).integer(0)},
                       expected_at(positions));
    });
    EXPECT_TRUE(seen.ok()) << (seen.ok() ? "" : seen.error().message);
    return seen.ok() ? *seen : std::pair(Seen{-1, -1, -1}, Seen{});
  }
  static Seen expected_at(const eventsourcing::PositionVector& positions) {
    Seen expected;
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      const auto last = positions.at("counter", core::LogIndex(log)).value();
      expected.count += static_cast<std::int64_t>(last);
      for (std::uint64_t at = 1; at <= last; ++at) expected.sum += number_at(log, at);
    }
    expected.total = expected.count;
    return expected;
  }

  void write(const std::string& sql) {
    const auto written =
        database.transact([&](sql::Transaction& transaction) { transaction.execute(sql); });
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
  }
  std::int64_t number(const std::string& sql) {
    const auto read = database.read(
        [&](sql::Transaction& transaction) { return transaction.execute(sql).at(0).integer(0); });
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return read.ok() ? *read : -1;
  }
  // Nothing of a copy is left: no schema, no checkpoint, no dead letter.
  bool no_copy_is_left() {
    return number("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rebuild%'") == 0 &&
           number("SELECT count(*) FROM projection_checkpoint WHERE projection LIKE '%@rebuild'") ==
               0 &&
           number("SELECT count(*) FROM dead_letter WHERE projection LIKE '%@rebuild'") == 0 &&
           number("SELECT count(*) FROM dead_letter_skip WHERE projection LIKE '%@rebuild'") == 0;
  }

  const DatabaseOptions options;
  PooledDatabase database;
  eventsourcing::InMemoryTopics topics;
  std::unique_ptr<Counted> serving;
  std::unique_ptr<projections::ProjectionRunner> runner;

 private:
  static DatabaseOptions migrated() {
    const DatabaseOptions made = fresh_database(kLogs);
    const auto set = counted_migrations();
    const std::array<MigrationSet, 2> sets{base_migrations(kLogs), set};
    const auto status = migrate(made, sets);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    return made;
  }
  static std::function<void(std::string_view, const std::string&)> logger(const char* who) {
    return [who](std::string_view, const std::string& text) {
      std::fprintf(stderr, "%s: %s\n", who, text.c_str());
    };
  }

  std::array<std::uint64_t, kLogs> last_{};
  std::jthread thread_;
};

}  // namespace tideline::postgres::testing
