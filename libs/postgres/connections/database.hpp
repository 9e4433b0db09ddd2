// A service's PostgreSQL database behind the port eventsourcing::Database.
//
// The pool opens connections on demand, keeps at most `connections_max`, and throws away every one
// that broke: a session is never silently replaced inside a transaction. Every session speaks UTC
// and carries the limits below, so that neither side can hold up the other for ever.
//
// Errors: serialization failures, deadlocks, lock and statement timeouts, lost connections and a
// server that shuts down are retryable; a commit whose answer was lost is ErrorCode::Timeout; a
// violated unique constraint is Conflict and other bad data InvalidInput, both not retryable.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "postgres/connections/binary_rows.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres {

struct DatabaseOptions {
  std::string conninfo;                       // libpq keywords or URI
  std::string application_name = "tideline";  // shown in pg_stat_activity
  std::size_t connections_max = 8;
  // How long a call waits for a free connection before it fails with Unavailable.
  std::chrono::milliseconds checkout_deadline{2'000};
  std::chrono::milliseconds connect_timeout{5'000};  // rounded up to seconds
  // A server that has not said so itself 5 seconds later counts as lost, for it stands still though
  // its connections do not break. 0: no limit to either.
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds lock_timeout{5'000};
  std::chrono::milliseconds idle_in_transaction_timeout{10'000};
  // After so long without an acknowledgement from the other machine a connection counts as broken.
  std::chrono::milliseconds tcp_user_timeout{10'000};
};

// Thread-safe; every call blocks. Connects at the first call, so that a service can start before
// its database answers.
class PooledDatabase final : public sql::Database {
 public:
  explicit PooledDatabase(DatabaseOptions options);
  // Nobody may be inside a call any more.
  ~PooledDatabase() override;
  PooledDatabase(const PooledDatabase&) = delete;
  PooledDatabase& operator=(const PooledDatabase&) = delete;

  // `work` runs once: the one that wants a retryable error retried calls again. Exceptions of
  // `work` other than TransactionFailed roll back and pass through.
  core::Status transact(const std::function<void(sql::Transaction&)>& work) override;
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override;
  // Each statement by query(), and so in one round trip.
  core::Status each_alone(const std::function<void(sql::Transaction&)>& work) override;

  // One statement that only reads, in one round trip; done again on another connection when the
  // first turns out to be lost.
  core::Result<sql::Rows> query(std::string_view sql, const sql::Params& params);
  // The same for many rows, none of whose columns is null.
  core::Result<BinaryRows> query_binary(std::string_view sql, const sql::Params& params);

  // One round trip: does the database answer?
  core::Status ping();

  // What dedicated connections (appender, listener, locks) are opened with as well.
  const DatabaseOptions& options() const;

 private:
  class Pool;
  core::Status run(std::string_view begin, const std::function<void(sql::Transaction&)>& work);

  std::unique_ptr<Pool> pool_;
};

}  // namespace tideline::postgres
