#include "postgres/connections/session.hpp"

#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "postgres/connections/answer_watch.hpp"
#include "postgres/connections/copy_rows.hpp"
#include "postgres/connections/error_mapping.hpp"
#include "postgres/connections/libpq_result.hpp"
#include "postgres/connections/raw_connection.hpp"

namespace tideline::postgres {
namespace {

using sql::BinaryArray;
using sql::Param;
using sql::Params;
using sql::Rows;
using sql::TransactionFailed;

// What the server has to end a statement by itself when its time is over.
constexpr std::chrono::milliseconds kAnswerSlack{5'000};

// After 11 s of silence the other side counts as gone: for the client, and for the server too,
// which would keep the locks of one that went away for two hours.
constexpr int kKeepalivesIdle = 5;  // seconds
constexpr int kKeepalivesInterval = 2;
constexpr int kKeepalivesCount = 3;

std::chrono::milliseconds answer_limit(const DatabaseOptions& options) {
  const bool unlimited = options.statement_timeout == std::chrono::milliseconds(0);
  return unlimited ? options.statement_timeout : options.statement_timeout + kAnswerSlack;
}

class Arrival final : public pqxx::notification_receiver {
 public:
  Arrival(pqxx::connection_base& connection, const std::string& channel)
      : pqxx::notification_receiver(connection, channel) {}
  void operator()(const std::string&, int) override {}
};

// Values of `more` count only where the caller's conninfo says nothing.
std::string merge_conninfo(const std::string& conninfo,
                           std::initializer_list<std::pair<std::string_view, std::string>> more) {
  char* why = nullptr;
  PQconninfoOption* parsed = PQconninfoParse(conninfo.c_str(), &why);
  if (parsed == nullptr) {
    const std::string text = why == nullptr ? "out of memory" : why;
    PQfreemem(why);
    throw TransactionFailed(core::invalid_input("database conninfo: " + text));
  }
  std::string merged;
  const auto add = [&](std::string_view key, std::string_view value) {
    merged.append(key).append("='");
    for (const char letter : value) {
      if (letter == '\'' || letter == '\\') merged.push_back('\\');
      merged.push_back(letter);
    }
    merged.append("' ");
  };
  for (const PQconninfoOption* option = parsed; option->keyword != nullptr; ++option) {
    if (option->val != nullptr) {
      add(option->keyword, option->val);
      continue;
    }
    for (const auto& [key, value] : more) {
      if (key == option->keyword) add(key, value);
    }
  }
  PQconninfoFree(parsed);
  return merged;
}

std::string full_conninfo(const DatabaseOptions& options, std::string_view purpose) {
  const auto connect_s = (options.connect_timeout.count() + 999) / 1000;
  return merge_conninfo(
      options.conninfo,
      {{"application_name", options.application_name + " " + std::string(purpose)},
       {"connect_timeout", std::to_string(connect_s)},
       {"tcp_user_timeout", std::to_string(options.tcp_user_timeout.count())},
       // tcp_user_timeout does not end the wait for an answer from a machine that went away.
       {"keepalives_idle", std::to_string(kKeepalivesIdle)},
       {"keepalives_interval", std::to_string(kKeepalivesInterval)},
       {"keepalives_count", std::to_string(kKeepalivesCount)}});
}

std::string statement_timeout(const DatabaseOptions& options) {
  return "SET statement_timeout = " + std::to_string(options.statement_timeout.count());
}

std::string session_settings(const DatabaseOptions& options) {
  const auto ms = [](std::chrono::milliseconds time) { return std::to_string(time.count()); };
  return "SET TIME ZONE 'UTC'; SET client_min_messages = warning;"
         "SET standard_conforming_strings = on;"
         // Statements here are short. Where the planner expects far more rows than there are, it
         // would take longer to compile one than to run it.
         "SET jit = off;" +
         statement_timeout(options) +
         ";"
         "SET lock_timeout = " +
         ms(options.lock_timeout) +
         ";"
         "SET idle_in_transaction_session_timeout = " +
         ms(options.idle_in_transaction_timeout) +
         ";"
         "SET tcp_keepalives_idle = " +
         std::to_string(kKeepalivesIdle) +
         ";"
         "SET tcp_keepalives_interval = " +
         std::to_string(kKeepalivesInterval) +
         ";"
         "SET tcp_keepalives_count = " +
         std::to_string(kKeepalivesCount) +
         ";"
         "SET tcp_user_timeout = " +
         ms(options.tcp_user_timeout) +
         ";"
         "SELECT current_setting('synchronous_standby_names') <> ''";
}

// Commits something that changes nothing, and so waits until a replica has what was committed
// before. Within a DO block the wait is the statement's, whose time-out ends it: by a warning, for
// the commit has taken place, and nothing else here would notice.
constexpr const char* kAwaitReplica = R"sql(
DO $$
BEGIN
  PERFORM pg_logical_emit_message(true, 'tideline', '');
  COMMIT;
  IF clock_timestamp() >= statement_timestamp() + current_setting('statement_timeout')::interval THEN
    RAISE EXCEPTION USING ERRCODE = 'cannot_connect_now', MESSAGE = 'no replica has what was committed';
  END IF;
END $$
)sql";
constexpr const char* kReplicaTimeout = "SET statement_timeout = '5s'";

// Text for libpq, which ends it at the first NUL: a longer one would be cut silently.
const char* c_text(const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    throw TransactionFailed(core::invalid_input("a text with a NUL character"));
  }
  return text.c_str();
}

// Parameters as libpq takes them; they point into the Params. A text is of the type that its place
// in the statement has, an array says its own.
class SentParams {
 public:
  explicit SentParams(const Params& params) {
    for (const Param& param : params)
      std::visit([&](const auto& sent) { add(sent); }, param.sent());
  }

  // Returns what libpq does; the answer's values are texts, or binary.
  PGresult* execute(PGconn* connection, std::string_view sql, bool binary_answer) const {
    return PQexecParams(connection, std::string(sql).c_str(), static_cast<int>(values_.size()),
                        types_.data(), values_.data(), lengths_.data(), formats_.data(),
                        binary_answer ? 1 : 0);
  }

 private:
  static constexpr Oid kInferred = 0;
  static constexpr int kText = 0;
  static constexpr int kBinary = 1;

  void add(Param::Null) { add(kInferred, nullptr, 0, kText); }
  void add(const std::string& text) { add(kInferred, c_text(text), 0, kText); }
  void add(const BinaryArray& array) {
    const std::string& bytes = array.bytes();
    add(array_type(array.type()), bytes.data(), static_cast<int>(bytes.size()), kBinary);
  }
  void add(Oid type, const char* value, int length, int format) {
    types_.push_back(type);
    values_.push_back(value);
    lengths_.push_back(length);
    formats_.push_back(format);
  }

  // PostgreSQL's object ids of its built-in types.
  static Oid array_type(BinaryArray::Type element) {
    using Type = BinaryArray::Type;
    switch (element) {
      case Type::Bool:
        return 1000;
      case Type::Int4:
        return 1007;
      case Type::Text:
        return 1009;
      case Type::Int8:
        return 1016;
      case Type::Date:
        return 1182;
      case Type::Timestamptz:
        return 1185;
      case Type::Uuid:
        return 2951;
    }
    CHECK(false, "a type without arrays");
  }

  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

Rows to_rows(const PGresult* result) {
  Rows rows;
  rows.reserve(static_cast<std::size_t>(PQntuples(result)));
  for (int row = 0; row < PQntuples(result); ++row) {
    std::vector<std::optional<std::string>> columns(static_cast<std::size_t>(PQnfields(result)));
    for (int column = 0; column < PQnfields(result); ++column) {
      if (PQgetisnull(result, row, column) != 0) continue;
      columns[static_cast<std::size_t>(column)].emplace(
          PQgetvalue(result, row, column),
          static_cast<std::size_t>(PQgetlength(result, row, column)));
    }
    rows.emplace_back(std::move(columns));
  }
  return rows;
}

}  // namespace

struct Session::Connection {
  Connection(const std::string& conninfo, std::chrono::milliseconds limit)
      : pqxx(conninfo), watch(PQsocket(pqxx.handle()), limit) {}

  RawConnection pqxx;
  AnswerWatch watch;
  std::unique_ptr<Arrival> arrival;
};

// A call under the eyes of its connection's watch.
struct Session::Watched {
  explicit Watched(AnswerWatch* watch_) : watch(watch_) {
    if (watch != nullptr) watch->begin();
  }
  ~Watched() {
    if (watch != nullptr) watch->end();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  AnswerWatch* watch;
};

template <class Work>
auto Session::guarded(const Work& work) -> decltype(work()) {
  const auto fail = [&](core::Error error) -> TransactionFailed {
    if (unanswered()) return TransactionFailed(core::unavailable("PostgreSQL does not answer"));
    if (!connection_ || !connection_->pqxx.is_open()) {
      broken_ = true;
      error = core::unavailable("connection to PostgreSQL lost: " + error.message);
    }
    return TransactionFailed(std::move(error));
  };
  try {
    const Watched call(connection_ ? &connection_->watch : nullptr);
    return work();
  } catch (const TransactionFailed& error) {
    throw fail(error.error());
  } catch (const pqxx::broken_connection& error) {
    broken_ = true;
    if (unanswered()) throw fail({});
    throw TransactionFailed(error_of_sqlstate("", error.what()));
  } catch (const pqxx::transaction_rollback& error) {
    throw fail(error_of_sqlstate("40000", error.what()));
  } catch (const pqxx::sql_error& error) {
    throw fail(
        error_of_sqlstate(error.sqlstate().empty() ? "XX000" : error.sqlstate(), error.what()));
  } catch (const pqxx::argument_error& error) {  // bytes that are not UTF-8
    throw fail(core::invalid_input(error.what()));
  } catch (const pqxx::pqxx_exception& error) {
    throw fail(core::internal_error(error.base().what()));
  }
}

Session::Session(const DatabaseOptions& options, std::string_view purpose) {
  const std::string conninfo = full_conninfo(options, purpose);
  guarded([&] {
    connection_ = std::make_unique<Connection>(conninfo, answer_limit(options));
    backend_ = connection_->pqxx.backendpid();
  });
  if (execute_script(session_settings(options)).front().text(0) == "t") await_replica(options);
}

Session::~Session() = default;

void Session::await_replica(const DatabaseOptions& options) {
  execute_script(kReplicaTimeout);
  execute_script(kAwaitReplica);
  execute_script(statement_timeout(options));
}

Rows Session::execute(std::string_view sql, const Params& params) {
  const SentParams sent(params);
  return guarded([&] {
    PGconn* handle = connection_->pqxx.handle();
    const ResultPointer result(sent.execute(handle, sql, false));
    if (!succeeded(result.get())) throw_failure(handle, result.get());
    return to_rows(result.get());
  });
}

BinaryRows Session::execute_binary(std::string_view sql, const Params& params) {
  const SentParams sent(params);
  return guarded([&] {
    PGconn* handle = connection_->pqxx.handle();
    PGresult* result = sent.execute(handle, sql, true);
    BinaryRows rows(result);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) throw_failure(handle, result);
    return rows;
  });
}

Rows Session::execute_script(const std::string& sql) {
  return guarded([&] {
    PGconn* handle = connection_->pqxx.handle();
    const ResultPointer result(PQexec(handle, sql.c_str()));
    if (!succeeded(result.get())) throw_failure(handle, result.get());
    return to_rows(result.get());
  });
}

void Session::prepare(const char* name, const char* sql) {
  guarded([&] {
    PGconn* handle = connection_->pqxx.handle();
    const ResultPointer made(PQprepare(handle, name, sql, 0, nullptr));
    if (PQresultStatus(made.get()) != PGRES_COMMAND_OK) throw_failure(handle, made.get());
  });
}

std::vector<BinaryRows> Session::run_pipeline(std::span<const PreparedCall> calls) {
  return guarded([&] {
    PGconn* handle = connection_->pqxx.handle();
    try {
      return tideline::postgres::run_pipeline(handle, calls);
    } catch (const TransactionFailed&) {
      // Given up in the middle: nobody knows whose answer comes next.
      if (PQpipelineStatus(handle) != PQ_PIPELINE_OFF) broken_ = true;
      throw;
    }
  });
}

void Session::copy_in(std::string_view table, std::span<const std::string> columns,
                      std::span<const Params> rows) {
  for (const Params& row : rows) {
    for (const Param& value : row) {  // refuses a NUL before anything is sent
      if (const auto* text = std::get_if<std::string>(&value.sent())) c_text(*text);
    }
  }
  guarded([&] { copy_rows(connection_->pqxx.handle(), table, columns, rows); });
}

std::string Session::quote(const Param& value) {
  const auto text = value.text();
  if (!text) return "NULL";
  c_text(*text);
  return guarded([&] { return "'" + connection_->pqxx.esc(*text) + "'"; });
}

void Session::roll_back() noexcept {
  if (broken()) return;
  try {
    execute_script("ROLLBACK");
  } catch (const std::exception&) {
    broken_ = true;
  }
}

bool Session::broken() const noexcept {
  return broken_ || !connection_ || !connection_->pqxx.is_open() || unanswered();
}

bool Session::unanswered() const noexcept { return connection_ && connection_->watch.gave_up(); }

void Session::listen(const std::string& channel) {
  guarded([&] { connection_->arrival = std::make_unique<Arrival>(connection_->pqxx, channel); });
}

bool Session::await_notification(std::chrono::milliseconds timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const std::chrono::microseconds rest = timeout - seconds;
  return guarded([&] {
    return connection_->pqxx.await_notification(static_cast<long>(seconds.count()),
                                                static_cast<long>(rest.count())) > 0;
  });
}

}  // namespace tideline::postgres
