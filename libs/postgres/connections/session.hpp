// One connection to PostgreSQL, as the .cpp files of this library see it: the only place where
// libpqxx is called and where its exceptions end. Not thread-safe; blocks.
//
// Where the server has synchronous replicas, a session begins once one of them has all that was
// committed before: a server that crashed shows after it what no replica may have (docs/adr/0052).
//
// Every failure leaves as TransactionFailed with the Error that callers are to see.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/connections/binary_rows.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/connections/pipeline.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres {

class Session {
 public:
  // `purpose` is added to the application name.
  Session(const DatabaseOptions& options, std::string_view purpose);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  sql::Rows execute(std::string_view sql, const sql::Params& params);
  // The same, with the answer in binary form.
  BinaryRows execute_binary(std::string_view sql, const sql::Params& params);
  // Several statements at once, without parameters, in one round trip; the rows of the last one.
  // Each statement sees what had committed before it began.
  sql::Rows execute_script(const std::string& sql);
  // Under a name for run_pipeline().
  void prepare(const char* name, const char* sql);
  // Prepared statements with binary parameters, in one round trip; an answer for each.
  std::vector<BinaryRows> run_pipeline(std::span<const PreparedCall> calls);
  void copy_in(std::string_view table, std::span<const std::string> columns,
               std::span<const sql::Params> rows);

  // As a literal of SQL, quotes included; NULL for a null.
  std::string quote(const sql::Param& value);

  // Ends an open transaction without effect; a session that cannot do that counts as broken.
  void roll_back() noexcept;
  // Never to be used again.
  bool broken() const noexcept;
  // The number of the server's process behind this session; still known when it is broken.
  int backend() const noexcept { return backend_; }
  // Broken, for the server has let a call wait for longer than the statement timeout and has not
  // said so: on another connection it would do the same.
  bool unanswered() const noexcept;

  // Listens on `channel`; then await_notification() returns true when a notification came.
  void listen(const std::string& channel);
  bool await_notification(std::chrono::milliseconds timeout);

 private:
  struct Connection;
  struct Watched;

  template <class Work>
  auto guarded(const Work& work) -> decltype(work());
  void await_replica(const DatabaseOptions& options);

  std::unique_ptr<Connection> connection_;
  bool broken_ = false;
  int backend_ = 0;
};

}  // namespace tideline::postgres
