// Latest states by key, shared between services over a compacted topic: the newest value of a key
// is kept, an absent one (a tombstone) erases it. Public profiles travel so.
//
// There are no positions here. Deliveries repeat and come in any order of different keys; which of
// two values of a key is newer is the view's business (a version inside the value). The Kafka
// adapters are in kafka/state_topic.hpp; InMemoryStateTopic below is for tests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/projection.hpp"
#include "eventsourcing/transaction.hpp"

namespace tideline::eventsourcing {

struct StateUpdate {
  std::string key;
  std::optional<std::string> value;  // nullopt = erase
};

class StatePublisher {
 public:
  virtual ~StatePublisher() = default;

  // Sends all and waits until all are acknowledged. An Error: some may be there, send all again.
  virtual core::Status publish(const std::vector<StateUpdate>& updates) = 0;
};

struct StateRecord {
  std::uint32_t partition = 0;
  core::KafkaOffset offset;
  std::string key;
  std::optional<std::string> value;
};

struct StatePoll {
  std::vector<StateRecord> records;
  // Partitions that had nothing more to give; they count after `records`.
  std::vector<std::uint32_t> ends_reached;
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
  virtual void load(Transaction& transaction) = 0;
  // A repeated or older state must change nothing. May throw PoisonEvent for a value that cannot be
  // read: it is logged and passed over, for the next version of the key replaces it.
  virtual void apply(const std::string& key, const std::optional<std::string>& value) = 0;
  // Writes what apply() has gathered; statements must keep the newer version, as replicas may flush
  // the same keys.
  virtual void flush(Transaction& transaction) = 0;
  virtual void flushed() {}
};

struct StateTopicStatus {
  bool caught_up_once = false;  // has seen the end of every partition, and flushed
  std::uint64_t applied = 0;
  std::uint64_t passed_over = 0;  // values that could not be read
  std::string last_problem;       // "" = none
};

// Runs one view on one thread. The view's tables and the next offsets change in one transaction, in
// table state_topic_checkpoint of the service's database (see projection_tables).
class StateTopicRunner {
 public:
  using LogLine = std::function<void(std::string_view, const std::string&)>;

  // `database` is not used for a view that is not durable. `log` may be empty.
  StateTopicRunner(StateView& view, Database& database, std::unique_ptr<StateSource> source,
                   LogLine log);
  ~StateTopicRunner();

  // Until stop is requested; flushes once more before it returns. Never throws.
  void run(std::stop_token stop);

  StateTopicStatus status() const;  // thread-safe

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A compacted topic in memory, for tests. Thread-safe; must outlive its sources.
class InMemoryStateTopic final : public StatePublisher {
 public:
  explicit InMemoryStateTopic(std::uint32_t partitions);

  core::Status publish(const std::vector<StateUpdate>& updates) override;
  std::unique_ptr<StateSource> source();

 private:
  class Source;
  std::mutex mutex_;
  std::condition_variable published_;
  std::vector<std::vector<StateRecord>> partitions_;
};

}  // namespace tideline::eventsourcing
