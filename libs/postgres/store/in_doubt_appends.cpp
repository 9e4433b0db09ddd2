#include "postgres/store/in_doubt_appends.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "postgres/store/append_statements.hpp"
#include "postgres/store/spread_batch.hpp"

namespace tideline::postgres {
namespace {

// The rest is seen by the next pass.
constexpr int kPreparedPerPass = 100;

void pause_for(const std::stop_token& stop, std::chrono::milliseconds pause) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, pause, [] { return false; });
}

// nullopt: nobody can tell just now.
std::optional<bool> is_there(PooledDatabase& database, const DecidingEvent& event) {
  bool known_log = false;
  bool found = false;
  const auto asked = database.transact([&](sql::Transaction& transaction) {
    known_log =
        !transaction.execute("SELECT 1 FROM event_log WHERE log = $1 FOR UPDATE", {event.log})
             .empty();
    found = !transaction
                 .execute("SELECT 1 FROM event WHERE log = $1 AND position = $2 AND event_id = $3",
                          {event.log, event.position, event.event_id})
                 .empty();
  });
  if (!asked || !known_log) return std::nullopt;
  return found;
}

}  // namespace

InDoubtAppends::InDoubtAppends(const LogDatabases& databases, const EventStoreOptions& options,
                               std::function<void()> committed)
    : databases_(databases),
      options_(options),
      committed_(std::move(committed)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void InDoubtAppends::run(const std::stop_token& stop) {
  while (!stop.stop_requested() && !check_places(databases_)) {
    pause_for(stop, options_.recovery_interval);
  }
  while (!stop.stop_requested()) {
    for (std::size_t i = 0; i < databases_.count() && !stop.stop_requested(); ++i) look_into(i);
    pause_for(stop, options_.recovery_interval);
  }
}

void InDoubtAppends::look_into(std::size_t database) {
  const auto prepared = databases_.at(database).query(
      "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()"
      " AND owner = current_user AND starts_with(gid, $1)"
      " AND prepared < clock_timestamp() - $2 * interval '1 millisecond'"
      " ORDER BY prepared LIMIT $3",
      {gid_prefix(options_.service), options_.recovery_interval.count(), kPreparedPerPass});
  if (!prepared) return;  // the next pass asks again
  for (const auto& row : *prepared) finish(database, row.text(0));
}

void InDoubtAppends::finish(std::size_t database, const std::string& gid) {
  const auto event = from_gid(gid);
  if (!event || event->log.value() >= databases_.logs()) return;
  const auto committed = is_there(databases_.of(event->log), *event);
  if (!committed) return;
  // A gid that was read from PostgreSQL and parsed holds no quote but perhaps in its event id,
  // which the query above has read as a UUID.
  const std::string sql = (*committed ? "COMMIT PREPARED '" : "ROLLBACK PREPARED '") + gid + "'";
  if (!databases_.at(database).query(sql, {})) return;  // or somebody else has finished it
  ++finished_;
  if (!*committed) return;
  // The one that is not told polls.
  static_cast<void>(databases_.at(database).query("SELECT pg_notify($1, '')", {kAppendChannel}));
  committed_();
}

}  // namespace tideline::postgres
