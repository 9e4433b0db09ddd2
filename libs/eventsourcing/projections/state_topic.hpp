// Latest states by key, shared between services over a compacted topic: the newest value of a key
// is kept, an absent one (a tombstone) erases it. Public profiles travel so.
//
// Deliveries repeat and come in any order of different keys; which of two values of a key is newer
// is the view's business (a version inside the value). Behind the states of a publication, each
// partition may be told which events are in them: a reader that has had this in all partitions
// covers the positions (docs/adr/0054). The Kafka
// adapters are in kafka/state_topic.hpp; InMemoryStateTopic below is for tests.
//
// A topic that has lost records is written anew, all of it, under a higher edition, which every
// record carries. A reader's offset may be of the topic as it was before: whoever meets a higher
// edition reads from the first record again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "sql/transaction.hpp"

namespace tideline::eventsourcing {

struct StateUpdate {
  std::string key;
  std::optional<std::string> value;  // nullopt = erase
};

// Publishes the topic of a service's own; called by the projection whose states they are, from its
// flush.
class StatePublisher {
 public:
  virtual ~StatePublisher() = default;

  // Sends all and waits until all are acknowledged. `applied`: every state that follows from events
  // up to there is among these, or was published before; readers are told. Empty: they are not.
  // What is known of the topic changes in `transaction`, with the checkpoint of the projection. An
  // Error: some may be there, send all again. Throws TransactionFailed.
  virtual core::Status publish(sql::Transaction& transaction,
                               const std::vector<StateUpdate>& updates,
                               const PositionVector& applied) = 0;
};

// A topic as it is written. Thread-safe.
class StateSink {
 public:
  virtual ~StateSink() = default;

  // Sends all and waits until all are acknowledged. An Error: some may be there, send all again.
  virtual core::Status send(const std::vector<StateUpdate>& updates, std::int64_t edition) = 0;
  // The same of a record in each partition that says so; the newest of a partition is kept.
  virtual core::Status send_applied(const PositionVector& applied, std::int64_t edition) = 0;
  // By partition: one past its last record.
  virtual core::Result<std::vector<core::KafkaOffset>> ends() = 0;
};

struct StateRecord {
  std::uint32_t partition = 0;
  core::KafkaOffset offset;
  std::int64_t edition = 0;
  std::string key;
  std::optional<std::string> value;
  // No state: what the partition is told of positions.
  std::optional<PositionVector> applied{};
};

struct StatePoll {
  std::vector<StateRecord> records;
  // Partitions that had nothing more to give behind `records`, and where: one past the last record,
  // less than was sought where the partition is shorter.
  std::map<std::uint32_t, core::KafkaOffset> ends_reached;
};

// Owned by one thread.
class StateSource {
 public:
  virtual ~StateSource() = default;

  virtual std::uint32_t partitions() const = 0;
  // Waits at most `timeout` for the first record. Nothing is delivered before every partition has
  // been sought once. An Error is transient: poll again.
  virtual core::Result<StatePoll> poll(std::chrono::milliseconds timeout) = 0;
  virtual core::Status seek(std::uint32_t partition, core::KafkaOffset offset) = 0;
};

// What a service keeps of a state topic. Called by one runner thread.
class StateView {
 public:
  virtual ~StateView() = default;

  // Also the key of its checkpoints.
  virtual std::string_view name() const = 0;
  // False: lives in memory alone, reads from the first record at every start, flush() is not
  // called.
  virtual bool durable() const { return true; }
  virtual FlushPolicy flush_policy() const { return {}; }

  // Forget everything in memory and take up the state of the tables.
  virtual void load(sql::Transaction& transaction) = 0;
  // A repeated or older state must change nothing. May throw PoisonEvent for a value that cannot be
  // read: it is logged and passed over, for the next version of the key replaces it.
  virtual void apply(const std::string& key, const std::optional<std::string>& value) = 0;
  // Writes what apply() has gathered; statements must keep the newer version, as replicas may flush
  // the same keys.
  virtual void flush(sql::Transaction& transaction) = 0;
  virtual void flushed() {}
};

// A compacted topic in memory, for tests. Thread-safe; must outlive its sources.
class InMemoryStateTopic final : public StateSink {
 public:
  explicit InMemoryStateTopic(std::uint32_t partitions);

  core::Status send(const std::vector<StateUpdate>& updates, std::int64_t edition = 0) override;
  core::Status send_applied(const PositionVector& applied, std::int64_t edition = 0) override;
  core::Result<std::vector<core::KafkaOffset>> ends() override;
  std::unique_ptr<StateSource> source();
  // Back to an older copy, which has at most so many records in each partition.
  void put_back(std::size_t records);

 private:
  class Source;
  std::mutex mutex_;
  std::condition_variable published_;
  std::vector<std::vector<StateRecord>> partitions_;
};

}  // namespace tideline::eventsourcing
