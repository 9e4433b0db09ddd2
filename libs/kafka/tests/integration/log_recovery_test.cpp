// A database that was put back to an older copy, and its topic: what was published is taken back,
// what was written since is moved behind it.
#include "postgres/recovery/log_recovery.hpp"

#include <numeric>

#include "topic_expectations.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;
using eventsourcing::Visibility;
using postgres::RecoveredLog;
using test_support::PostgresServer;

using Logs = std::vector<Records>;

Logs logs_of(PublishedService& service) {
  Logs logs;
  for (std::uint32_t log = 0; log < kLogs; ++log) logs.push_back(service.log(log));
  return logs;
}

std::vector<core::LogIndex> all_logs() {
  std::vector<core::LogIndex> logs;
  for (std::uint32_t log = 0; log < kLogs; ++log) logs.emplace_back(log);
  return logs;
}

core::Result<std::vector<RecoveredLog>> recover(PublishedService& service,
                                                std::vector<core::LogIndex> logs = all_logs()) {
  KafkaRecordSource topic(
      {.brokers = PublishedService::brokers(), .services = {service.name}, .logs = kLogs});
  return postgres::recover_logs(service.database, topic, {.logs = std::move(logs)}, {});
}

template <class Count>
std::uint64_t sum(const std::vector<RecoveredLog>& logs, Count count) {
  return std::accumulate(
      logs.begin(), logs.end(), std::uint64_t{0},
      [&](std::uint64_t all, const RecoveredLog& log) { return all + log.*count; });
}

void put_back(PublishedService& service) {
  PostgresServer::shared().put_back();
  PostgresServer::shared().start();
  ASSERT_TRUE(eventually([&] { return service.database.ping().ok(); }));
  service.forget_what_is_lost();
}

class LogRecovery : public ::testing::Test {
 protected:
  // Published, saved, and as much again published.
  void SetUp() override {
    service.private_each = 3;
    {
      RunningRelay relay(service);
      service.append(kSaved);
      ASSERT_TRUE(relay.has_published(service.positions, service.name));
      relay.stop();
    }
    saved = logs_of(service);
    PostgresServer::shared().save();
    RunningRelay relay(service);
    service.append(kLost);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
    relay.stop();
    published = logs_of(service);
    topic = service.topic();
  }

  // The log begins with what was published, of which the data of lost private events is not known.
  void expect_published(std::uint32_t log, const Records& now) {
    ASSERT_GE(now.size(), published[log].size());
    for (std::size_t i = 0; i < published[log].size(); ++i) {
      const auto& before = published[log][i];
      const bool gone = i >= saved[log].size() && before.visibility == Visibility::Private;
      EXPECT_EQ(now[i].id, before.id);
      EXPECT_EQ(now[i].position, before.position);
      EXPECT_EQ(now[i].stream, before.stream);
      EXPECT_EQ(now[i].version, before.version);
      EXPECT_EQ(now[i].type, before.type);
      EXPECT_EQ(now[i].time, before.time);
      EXPECT_EQ(now[i].metadata.correlation_id, before.metadata.correlation_id);
      EXPECT_EQ(now[i].visibility, before.visibility);
      EXPECT_EQ(now[i].data, gone ? "" : before.data);
    }
  }

  // The service goes on, and nobody who has read the topic has to read it again.
  void expect_it_goes_on() {
    service.forget_what_is_lost();
    RunningRelay relay(service);
    service.append(60);
    ASSERT_TRUE(relay.has_published(service.positions, service.name));
    EXPECT_EQ(relay.status().fatal, "");
    relay.stop();
    auto now = service.topic();
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      const Records& before = topic[core::LogIndex(log)];
      const Records& after = now[core::LogIndex(log)];
      ASSERT_GE(after.size(), before.size());
      for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i].id, before[i].id);
      expect_no_hole(after, service.log(log));
    }
  }

  static constexpr std::size_t kSaved = 200;
  static constexpr std::size_t kLost = 250;
  PublishedService service;
  Logs saved;
  Logs published;
  std::map<core::LogIndex, Records> topic;
};

TEST_F(LogRecovery, WhatWasPublishedIsTakenBack) {
  put_back(service);
  const auto recovered = recover(service);
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_EQ(sum(*recovered, &RecoveredLog::taken_back), kLost);
  EXPECT_EQ(sum(*recovered, &RecoveredLog::without_data), (kSaved + kLost) / 3 - kSaved / 3);
  EXPECT_EQ(sum(*recovered, &RecoveredLog::moved), 0U);
  const Logs now = logs_of(service);
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    EXPECT_EQ(now[log].size(), published[log].size());
    expect_published(log, now[log]);
  }
  EXPECT_TRUE(recover(service).value().empty()) << "once is enough";
  expect_it_goes_on();
}

TEST_F(LogRecovery, WhatWasWrittenMeanwhileIsMovedBehind) {
  constexpr std::size_t kMeanwhile = 120;
  put_back(service);
  service.streams = "other-";
  service.append(kMeanwhile);
  const Logs meanwhile = logs_of(service);
  const auto recovered = recover(service);
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_EQ(sum(*recovered, &RecoveredLog::taken_back), kLost);
  EXPECT_EQ(sum(*recovered, &RecoveredLog::moved), kMeanwhile);
  EXPECT_EQ(sum(*recovered, &RecoveredLog::set_aside), 0U);
  std::map<core::StreamId, std::uint64_t> versions;
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    const Records now = service.log(log);
    expect_published(log, now);
    std::size_t place = published[log].size();
    for (std::size_t i = saved[log].size(); i < meanwhile[log].size(); ++i, ++place) {
      ASSERT_LT(place, now.size());
      EXPECT_EQ(now[place].id, meanwhile[log][i].id);
      EXPECT_EQ(now[place].data, meanwhile[log][i].data);
    }
    EXPECT_EQ(place, now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_EQ(now[i].position.value(), i + 1);
      EXPECT_EQ(now[i].version.value(), ++versions[now[i].stream]);
    }
  }
  expect_it_goes_on();
}

// Decided on a state that never was: and with it goes what was appended together with it, and what
// was decided on that.
TEST_F(LogRecovery, WhatConflictsIsSetAside) {
  put_back(service);
  const auto append = [&](const std::vector<std::string>& names) {
    eventsourcing::Append one;
    one.time = service.clock.now();
    one.metadata.correlation_id = "meanwhile-" + names.front() + names.back();
    for (const std::string& name : names) {
      const core::StreamId stream(name);
      one.streams.push_back({stream,
                             core::StreamVersion(service.versions[stream]++),
                             {{.type = "Counted", .data = "{}"}}});
    }
    const auto done = service.store.append(std::move(one));
    ASSERT_TRUE(done.ok() && std::holds_alternative<eventsourcing::Appended>(*done));
  };
  append({"early-1"});
  append({"early-1", "counted-1"});
  append({"early-1"});
  append({"early-1", "late-1"});
  append({"late-1"});
  append({"apart-1", "apart-2", "apart-3", "apart-4"});
  const auto recovered = recover(service);
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_EQ(sum(*recovered, &RecoveredLog::set_aside), 6U);
  const auto count = [&](const char* table, const char* streams) {
    return service.database
        .query(std::string("SELECT count(*) FROM ") + table +
                   " WHERE correlation_id LIKE 'meanwhile%' AND stream_id LIKE $1",
               {streams})
        .value()
        .at(0)
        .integer(0);
  };
  EXPECT_EQ(count("event", "early-%"), 1);
  EXPECT_EQ(count("event_set_aside", "early-%"), 3);
  EXPECT_EQ(count("event_set_aside", "counted-%"), 1);
  EXPECT_EQ(count("event_set_aside", "late-%"), 2);
  EXPECT_EQ(count("event", "apart-%"), 4);
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    const Records now = service.log(log);
    expect_published(log, now);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i].position.value(), i + 1);
  }
  expect_it_goes_on();
}

// A record that comes before the one that is missing comes again behind it.
TEST_F(LogRecovery, AHoleThatWasMendedIsNone) {
  const std::uint32_t log = longest_log(service);
  const Records& all = published[log];
  put(service, {all.end() - 3, all.end()});
  put_back(service);
  EXPECT_EQ(sum(recover(service).value(), &RecoveredLog::taken_back), kLost);
  expect_published(log, service.log(log));
}

TEST_F(LogRecovery, EventsAreProtectedAgainAfterwards) {
  put_back(service);
  ASSERT_TRUE(recover(service).ok());
  for (const char* change : {"DELETE FROM event", "UPDATE event SET data = ''"}) {
    EXPECT_FALSE(service.database.query(change, {}).ok()) << change;
  }
  EXPECT_EQ(service.database
                .query("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'event'::regclass"
                       " AND tgname = 'event_is_never_changed' AND tgenabled = 'O'",
                       {})
                .value()
                .at(0)
                .integer(0),
            1);
}

TEST_F(LogRecovery, WhatIsCompleteIsLeftAsItIs) {
  EXPECT_TRUE(recover(service).value().empty());
  const Logs now = logs_of(service);
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    expect_once_and_in_order(now[log], published[log]);
  }
}

// The other logs lie in other databases.
TEST_F(LogRecovery, LogsThatAreNotNamedStayAsTheyAre) {
  put_back(service);
  const std::uint32_t one = longest_log(service);
  const auto recovered = recover(service, {core::LogIndex(one)});
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  ASSERT_EQ(recovered->size(), 1U);
  EXPECT_EQ(recovered->front().agreed.value(), saved[one].size());
  for (std::uint32_t log = 0; log < kLogs; ++log) {
    EXPECT_EQ(service.log(log).size(), log == one ? published[log].size() : saved[log].size());
  }
}

// Another event than the next one: the topic is no help, and nothing is changed.
TEST_F(LogRecovery, ATopicWithAHoleIsRefused) {
  const std::uint32_t log = longest_log(service);
  Records beyond{published[log].back()};
  beyond.front().id = "00000000-0000-4000-8000-000000000000";
  beyond.front().position = core::LogPosition(published[log].size() + 2);
  put(service, beyond);
  put_back(service);
  const auto recovered = recover(service);
  ASSERT_FALSE(recovered.ok());
  EXPECT_NE(recovered.error().message.find("lacks position"), std::string::npos)
      << recovered.error().message;
  EXPECT_EQ(service.log(log).size(), saved[log].size());
}

}  // namespace
}  // namespace tideline::kafka
