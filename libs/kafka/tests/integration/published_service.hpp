// A service as far as its events go: a database, an event store, topics. Each has a name and a
// database of its own, on the test binary's one PostgreSQL and one Kafka.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "kafka/consumer.hpp"
#include "kafka/relay.hpp"
#include "kafka/topics.hpp"
#include "postgres/store/event_store.hpp"
#include "postgres/store/relay_checkpoints.hpp"
#include "postgres/tests/integration/fresh_database.hpp"
#include "support/kafka_server.hpp"

namespace tideline::kafka::testing {

using namespace std::chrono_literals;

inline constexpr std::uint32_t kLogs = 4;
inline constexpr auto kDeadline = 30s;

inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

struct PublishedService {
  PublishedService()
      : name(test_support::KafkaServer::shared().unused_service()),
        options(postgres::testing::fresh_database(kLogs)),
        database(options),
        store(database, clock, random, {.service = name, .logs = kLogs}) {
    const auto made = ensure_topics(
        brokers(), {{.name = events_topic(name), .partitions = kLogs}, {.name = kGapsTopic}}, 20s);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  }

  static std::string brokers() { return test_support::KafkaServer::shared().brokers(); }

  // Appends `count` events of {"n":<index>} over a dozen streams of its own, in batches.
  void append(std::size_t count) {
    constexpr std::size_t kStreams = 12;
    while (count > 0) {
      eventsourcing::Append append;
      append.time = clock.now();
      append.metadata.correlation_id = "test";
      for (std::size_t i = 0; i < kStreams && count > 0; ++i) {
        const std::size_t events = std::min<std::size_t>(count, 10);
        const core::StreamId stream(streams + std::to_string(i));
        eventsourcing::StreamAppend part{stream, core::StreamVersion(versions[stream]), {}};
        for (std::size_t e = 0; e < events; ++e) {
          eventsourcing::NewEvent made;
          made.type = "Counted";
          made.data = R"({"n":)" + std::to_string(appended++) + "}";
          if (private_each > 0 && appended % private_each == 0) {
            made.visibility = eventsourcing::Visibility::Private;
          }
          part.events.push_back(std::move(made));
        }
        versions[stream] += events;
        count -= events;
        append.streams.push_back(std::move(part));
      }
      const auto outcome = store.append(std::move(append));
      ASSERT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.error().message);
      const auto* done = std::get_if<eventsourcing::Appended>(&*outcome);
      ASSERT_NE(done, nullptr);
      positions.join(done->positions);
    }
  }

  // The database was put back to an older copy: goes on from what it has now.
  void forget_what_is_lost() {
    const auto rows =
        database.query("SELECT stream_id, max(version) FROM event GROUP BY stream_id", {});
    ASSERT_TRUE(rows.ok());
    versions.clear();
    for (const auto& row : *rows) {
      versions[core::StreamId(row.text(0))] = static_cast<std::uint64_t>(row.integer(1));
    }
  }

  // All events of one log as the database has them.
  std::vector<eventsourcing::RecordedEvent> log(std::uint32_t index) {
    auto events = store.read_log(core::LogIndex(index), core::LogPosition(0), 1'000'000);
    EXPECT_TRUE(events.ok());
    return events.ok() ? std::move(*events) : std::vector<eventsourcing::RecordedEvent>{};
  }

  // Everything that lies in the topic just now, partition by partition.
  std::map<core::LogIndex, std::vector<eventsourcing::RecordedEvent>> topic() {
    KafkaRecordSource source({.brokers = brokers(), .services = {name}, .logs = kLogs});
    const auto assigned = source.poll(0ms);
    EXPECT_TRUE(assigned.ok());
    for (const auto& partition : assigned->assigned) {
      EXPECT_TRUE(source.seek(partition, core::KafkaOffset(0)).ok());
    }
    auto ends = source.end_offsets();
    // A broker that has just started does not know yet what it leads.
    EXPECT_TRUE(ends.ok() || eventually([&] { return (ends = source.end_offsets()).ok(); }));
    // A relay may go on publishing meanwhile, so each partition is read up to its own end.
    auto unread = *ends;
    std::erase_if(unread, [](const auto& entry) { return entry.second == core::KafkaOffset(0); });
    std::map<core::LogIndex, std::vector<eventsourcing::RecordedEvent>> records;
    EXPECT_TRUE(unread.empty() || eventually([&] {
                  auto polled = source.poll(100ms);
                  if (!polled.ok()) return false;
                  for (auto& record : polled->records) {
                    const auto end = unread.find({name, record.event.log});
                    if (end == unread.end()) continue;
                    const bool last = record.offset.value() + 1 >= end->second.value();
                    records[record.event.log].push_back(std::move(record.event));
                    if (last) unread.erase(end);
                  }
                  return unread.empty();
                }));
    return records;
  }

  const std::string name;
  const postgres::DatabaseOptions options;
  core::SystemClock clock;
  core::SystemRandom random;
  postgres::PooledDatabase database;
  postgres::PostgresEventStore store;
  std::map<core::StreamId, std::uint64_t> versions;
  std::size_t appended = 0;
  std::string streams = "counted-";         // what their names begin with
  std::size_t private_each = 0;             // one of so many events is private; 0: none
  eventsourcing::PositionVector positions;  // of everything appended
};

// A relay on a thread of its own, with its own session for claims.
class RunningRelay {
 public:
  explicit RunningRelay(PublishedService& service, std::chrono::milliseconds poll = 200ms)
      : checkpoints_(service.options),
        relay_({service.store, checkpoints_, log_line()}, options_for(service, poll)),
        thread_([this](std::stop_token stop) { relay_.run(stop); }) {}
  // With checkpoints, or a log, that a test has bent.
  RunningRelay(PublishedService& service, eventsourcing::RelayCheckpoints& checkpoints)
      : checkpoints_(service.options),
        relay_({service.store, checkpoints, log_line()}, options_for(service, 200ms)),
        thread_([this](std::stop_token stop) { relay_.run(stop); }) {}
  RunningRelay(PublishedService& service, eventsourcing::EventLog& events)
      : checkpoints_(service.options),
        relay_({events, checkpoints_, log_line()}, options_for(service, 200ms)),
        thread_([this](std::stop_token stop) { relay_.run(stop); }) {}

  RelayStatus status() const { return relay_.status(); }
  // Whether its log has a line of that level with that text in it.
  bool has_said(std::string_view level, std::string_view text) const {
    const std::lock_guard lock(lines_mutex_);
    return std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) {
      return line.first == level && line.second.find(text) != std::string::npos;
    });
  }
  void ask_to_stop() { thread_.request_stop(); }
  void stop() {
    ask_to_stop();
    thread_.join();
  }
  bool has_published(const eventsourcing::PositionVector& positions, const std::string& service) {
    return eventually([&] {
      for (const RelayLogStatus& log : status().logs) {
        if (log.acknowledged < positions.at(service, log.log)) return false;
      }
      return true;
    });
  }

 private:
  static RelayOptions options_for(const PublishedService& service, std::chrono::milliseconds poll) {
    RelayOptions options;
    options.brokers = PublishedService::brokers();
    options.service = service.name;
    options.poll = poll;
    options.claim_interval = 200ms;
    options.republish_interval = 60s;  // however slow the machine is
    return options;
  }
  std::function<void(std::string_view, const std::string&)> log_line() {
    return [this](std::string_view level, const std::string& text) {
      const std::lock_guard lock(lines_mutex_);
      lines_.emplace_back(level, text);
      std::fprintf(stderr, "relay %.*s: %s\n", static_cast<int>(level.size()), level.data(),
                   text.c_str());
    };
  }

  mutable std::mutex lines_mutex_;
  std::vector<std::pair<std::string, std::string>> lines_;
  postgres::PostgresRelayCheckpoints checkpoints_;
  Relay relay_;
  std::jthread thread_;
};

}  // namespace tideline::kafka::testing
