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
  return postgres::recover_logs(service.database, topic,
                                {.service = service.name, .logs = std::move(logs)}, {});
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
  service.append(kMeanwhile);
  const Logs meanwhile = logs_of(service);
  const auto recovered = recover(service);
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  EXPECT_EQ(sum(*recovered, &RecoveredLog::taken_back), kLost);
  EXPECT_EQ(sum(*recovered, &RecoveredLog::moved), kMeanwhile);
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
