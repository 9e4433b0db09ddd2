// Publishes a topic of latest states, and publishes all of it again when the topic has lost
// records.
//
// With each publication it keeps, in the transaction of the projection's checkpoint, how far the
// topic reaches: under the topic's name, in table state_topic_checkpoint
// (postgres/projections/projection_tables.hpp). A topic that ends before that has lost what was
// acknowledged; a broker with another disk or an older copy of its data does that. Then the
// projection goes back to its first event, and what it publishes from there carries a higher
// edition, by which readers know that their offsets are of no use any more
// (eventsourcing/projections/state_topic.hpp). docs/adr/0047 says why it is done so.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "eventsourcing/projections/state_topic.hpp"
#include "postgres/projections/state_topic_checkpoints.hpp"
#include "sql/transaction.hpp"

namespace tideline::projections {

struct StatePublicationPorts {
  sql::Database& database;  // where the checkpoint of the projection is
  std::unique_ptr<eventsourcing::StateSink> topic;
  const core::Clock& clock;
  // Structured log line: level ("info", "warn", "error"), text. May be empty.
  std::function<void(std::string_view, const std::string&)> log;
};

// Thread-safe.
class StatePublication final : public eventsourcing::StatePublisher {
 public:
  // `projection` has no tables but the topic.
  StatePublication(std::string topic, std::string projection, StatePublicationPorts ports)
      : topic_(std::move(topic)), projection_(std::move(projection)), ports_(std::move(ports)) {}

  // Where it finds a loss it publishes nothing: Unavailable, until look() has found it too.
  core::Status publish(sql::Transaction& transaction,
                       const std::vector<eventsourcing::StateUpdate>& updates,
                       const eventsourcing::PositionVector& applied) override;

  // Looks at the topic now and then until stop is requested: a projection without new events would
  // not notice a loss. What fails is tried again.
  void run(std::stop_token stop);
  // Looks once. True: something was lost, and the projection begins anew.
  core::Result<bool> look();

 private:
  using Ends = std::vector<core::KafkaOffset>;

  static bool lacks(const Ends& ends, const postgres::StateTopicPlace& acknowledged);
  void begin_anew(sql::Transaction& transaction, std::int64_t edition, const Ends& ends);
  void advance(sql::Transaction& transaction, std::int64_t edition, const Ends& ends);

  const std::string topic_;
  const std::string projection_;
  const StatePublicationPorts ports_;
};

}  // namespace tideline::projections
