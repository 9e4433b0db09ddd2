// Finishes what an appender of several databases has left behind: transactions that it prepared and
// then could neither commit nor roll back, because it died or lost a database.
//
// A thread looks once every options.recovery_interval, in every database, for prepared transactions
// of this service that are older than that. Of each it asks the database of the deciding log, under
// that log's lock, whether the deciding event is there: the deciding transaction had held the lock
// since before anything was prepared, so the one that gets it knows that it has ended. Any replica
// may do this, several at once too.
//
// Nothing is touched before check_places() holds: in a database where the deciding log does not lie
// its event is missing for another reason.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "postgres/connections/log_databases.hpp"
#include "postgres/store/event_store.hpp"

namespace tideline::postgres {

class InDoubtAppends {
 public:
  // Both references outlive it. `committed` is called on its thread when events became visible.
  InDoubtAppends(const LogDatabases& databases, const EventStoreOptions& options,
                 std::function<void()> committed);
  // Ends the thread, after the query in flight.
  ~InDoubtAppends() = default;

  // Transactions committed or rolled back so far. Thread-safe.
  std::uint64_t finished() const { return finished_; }

 private:
  void run(const std::stop_token& stop);
  void look_into(std::size_t database);
  void finish(std::size_t database, const std::string& gid);

  const LogDatabases& databases_;
  const EventStoreOptions& options_;
  const std::function<void()> committed_;
  std::atomic<std::uint64_t> finished_{0};
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace tideline::postgres
