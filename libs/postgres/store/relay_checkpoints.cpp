#include "postgres/store/relay_checkpoints.hpp"

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "postgres/connections/session.hpp"

namespace tideline::postgres {
namespace {

using core::LogIndex;
using core::LogPosition;
using eventsourcing::CheckpointMove;
using sql::TransactionFailed;

// First half of the advisory locks' keys ("Rela"); the second is the log.
constexpr int kRelayLock = 0x52656C61;

}  // namespace

struct PostgresRelayCheckpoints::State {
  explicit State(DatabaseOptions with) : options(std::move(with)) {}

  // Throws TransactionFailed. A connection that broke took its locks with it.
  Session& open() {
    if (session && session->broken()) drop();
    if (!session) session = std::make_unique<Session>(options, "relay");
    return *session;
  }
  void drop() {
    session.reset();
    held.clear();
  }

  template <class Value, class Work>
  core::Result<Value> call(const Work& work) {
    const std::lock_guard lock(mutex);
    try {
      return work();
    } catch (const TransactionFailed& failed) {
      // Whether the locks are still held is unknown: only a new connection makes it certain.
      drop();
      return failed.error();
    }
  }

  const DatabaseOptions options;
  std::mutex mutex;
  std::unique_ptr<Session> session;
  std::set<LogIndex> held;
};

PostgresRelayCheckpoints::PostgresRelayCheckpoints(DatabaseOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

PostgresRelayCheckpoints::~PostgresRelayCheckpoints() = default;

core::Result<bool> PostgresRelayCheckpoints::claim(LogIndex log) {
  return state_->call<bool>([&] {
    Session& session = state_->open();
    if (state_->held.contains(log)) {
      session.execute("SELECT 1", {});  // fails when the connection, and the lock, are gone
      return true;
    }
    const bool got = session.execute("SELECT pg_try_advisory_lock($1, $2)", {kRelayLock, log})
                         .front()
                         .boolean(0);
    if (got) state_->held.insert(log);
    return got;
  });
}

void PostgresRelayCheckpoints::release(LogIndex log) {
  const auto released = state_->call<bool>([&] {
    if (state_->held.erase(log) == 0 || !state_->session) return false;
    state_->session->execute("SELECT pg_advisory_unlock($1, $2)", {kRelayLock, log});
    return true;
  });
  // After an error the connection is closed, and the lock with it.
  static_cast<void>(released);
}

core::Result<LogPosition> PostgresRelayCheckpoints::load(LogIndex log) {
  return state_->call<LogPosition>([&]() -> core::Result<LogPosition> {
    const auto rows =
        state_->open().execute("SELECT position FROM relay_checkpoint WHERE log = $1", {log});
    if (rows.empty()) return core::internal_error("this database has no log of that number");
    return LogPosition(static_cast<std::uint64_t>(rows.front().integer(0)));
  });
}

core::Result<std::set<LogIndex>> PostgresRelayCheckpoints::advance(
    std::span<const CheckpointMove> moves) {
  return state_->call<std::set<LogIndex>>([&]() -> core::Result<std::set<LogIndex>> {
    Session& session = state_->open();
    std::vector<std::int64_t> logs;
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> to;
    for (const CheckpointMove& move : moves) {
      if (!state_->held.contains(move.log)) continue;
      logs.push_back(move.log.value());
      from.push_back(static_cast<std::int64_t>(move.from.value()));
      to.push_back(static_cast<std::int64_t>(move.to.value()));
    }
    const auto rows = session.execute(
        "UPDATE relay_checkpoint SET position = move.to_position"
        " FROM unnest($1::int[], $2::bigint[], $3::bigint[]) move (log, from_position, to_position)"
        " WHERE relay_checkpoint.log = move.log AND relay_checkpoint.position = move.from_position"
        " RETURNING relay_checkpoint.log",
        {logs, from, to});
    std::set<LogIndex> moved;
    for (const auto& row : rows) moved.emplace(static_cast<std::uint32_t>(row.integer(0)));
    return moved;
  });
}

}  // namespace tideline::postgres
