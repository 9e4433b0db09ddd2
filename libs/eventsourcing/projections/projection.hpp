// A read model in the making: events in, tables (or memory) out.
//
// The runner calls load() once it owns the partitions, then apply() for every event in the order of
// each log, exactly once, and flush() now and then; the flush commits together with the new
// positions, so its effect is exactly-once. Events of different logs come in any interleaving: a
// projection must reach the same state in all of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/poison_event.hpp"
#include "eventsourcing/topics/record_source.hpp"
#include "sql/transaction.hpp"

namespace tideline::eventsourcing {

struct FlushPolicy {
  std::chrono::milliseconds interval{100};  // at the latest so long after the first applied event
  std::size_t events = 5000;                // or after so many
};

// What has to be done before a flush may commit, outside of its transaction.
struct Preparation {
  enum class State {
    Done,
    Unfinished,  // nothing is flushed yet; the runner goes on and asks again within milliseconds
    Failed,      // with `error`: as a flush that failed, so the memory is dropped
  };
  State state = State::Done;
  core::Error error{};
  // Failed for good because of this event, which lives until the next call: it is parked when it
  // comes again. nullptr: the error is taken for a passing one, whatever it says.
  const RecordedEvent* culprit = nullptr;
};

// Called by one runner thread at a time. Whoever also answers queries from memory guards that
// memory itself.
class Projection {
 public:
  virtual ~Projection() = default;

  // Also the key of its checkpoints: a new name begins at the first event.
  virtual std::string_view name() const = 0;
  // Services whose topics it consumes.
  virtual std::vector<std::string> sources() const = 0;
  virtual FlushPolicy flush_policy() const { return {}; }
  // The tables that flush() writes, by their names without schema; a partitioned one stands for its
  // partitions. Nobody else writes them, so that they can be built anew beside those that serve
  // (rebuild.hpp). Empty: there is nothing to build.
  virtual std::vector<std::string> tables() const { return {}; }
  // False for a model that lives in memory alone and is built again at every start: it has no
  // checkpoint, its flush() is never called, and the transaction given to load() refuses every
  // statement.
  virtual bool durable() const { return true; }
  // Of a model that is not durable, where it stands after load(): what it has taken up in another
  // way than by events. What is not named begins at the first event.
  virtual PartitionPlaces loaded_places() const { return {}; }
  // True if queries are answered from what load() and apply() have built: a replica is not ready
  // before it owns every partition and has loaded. False: from tables that all replicas share.
  virtual bool answers_from_memory() const { return false; }

  // Forget everything in memory and take up the state of the tables. Called before the first
  // apply(), and again whenever the runner goes back to the last committed positions. Throws
  // TransactionFailed: it is called again after a pause.
  virtual void load(sql::Transaction& transaction) = 0;
  // An event is likely to be applied after kPrefetchAhead others at most: a projection
  // that knows what memory it will touch may prefetch it. No event has to be announced, none that
  // is has to come, and it changes nothing that anybody could see. Must not throw.
  static constexpr std::size_t kPrefetchAhead = 5;
  virtual void prefetch(const RecordedEvent&) {}
  // In memory, deterministic, no I/O, no clock. Stubs of private events are not handed over.
  virtual void apply(const RecordedEvent& event) = 0;
  // Called before every flush; may block shortly. Ownership is not checked before it, and it may be
  // called again for events that were prepared but not committed: what it does must bear both.
  virtual Preparation prepare_flush() { return {}; }
  // Writes what apply() has gathered since the last flush, as one batch, sorted by key.
  virtual void flush(sql::Transaction& transaction) = 0;
  // The transaction of the last flush has committed.
  virtual void flushed() {}
  // Applies what flushes have deferred, if anything: then the tables of two builds of the
  // same events are equal row by row. Called while nobody flushes, perhaps of an object that has
  // never loaded.
  virtual void apply_deferred(sql::Transaction&) {}
};

}  // namespace tideline::eventsourcing
