// What a topic must hold, and records put there by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "kafka/producer.hpp"
#include "published_service.hpp"

namespace tideline::kafka::testing {

using Records = std::vector<eventsourcing::RecordedEvent>;

inline void expect_once_and_in_order(const Records& records, const Records& events) {
  ASSERT_EQ(records.size(), events.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(records[i].position, events[i].position);
    ASSERT_EQ(records[i].id, events[i].id);
    ASSERT_EQ(records[i].stream, events[i].stream);
    ASSERT_EQ(records[i].version, events[i].version);
    ASSERT_EQ(records[i].data, events[i].data);
    ASSERT_EQ(records[i].time, events[i].time);
  }
}

// Repeats are allowed, holes and inversions are not.
inline void expect_no_hole(const Records& records, const Records& events) {
  std::uint64_t last = 0;
  for (const auto& record : records) {
    ASSERT_LE(record.position.value(), last + 1) << "a hole behind position " << last;
    last = std::max(last, record.position.value());
    ASSERT_EQ(record.id, events.at(record.position.value() - 1).id);
  }
  ASSERT_EQ(last, events.size());
}

// What a consumer has in the end that takes each position in turn and passes over the others.
inline std::uint64_t taken_in_turn(const Records& records) {
  std::uint64_t last = 0;
  for (const auto& record : records) {
    if (record.position.value() == last + 1) ++last;
  }
  return last;
}

// Puts events of a log into its partition, as an earlier relay would have.
inline void put(PublishedService& service, const Records& events) {
  std::size_t delivered = 0;
  LogProducer producer(PublishedService::brokers(), "test", events_topic(service.name),
                       [&](const LogProducer::Report& report) {
                         EXPECT_EQ(report.error, "");
                         ++delivered;
                       });
  for (const auto& event : events) {
    const auto taken = producer.produce(event);
    ASSERT_TRUE(taken.ok() && *taken);
  }
  ASSERT_TRUE(eventually([&] {
    producer.poll(5ms);
    return delivered == events.size();
  }));
}

inline std::uint32_t longest_log(PublishedService& service) {
  std::uint32_t longest = 0;
  for (std::uint32_t log = 1; log < kLogs; ++log) {
    if (service.log(log).size() > service.log(longest).size()) longest = log;
  }
  return longest;
}

}  // namespace tideline::kafka::testing
