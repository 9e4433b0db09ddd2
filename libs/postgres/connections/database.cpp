#include "postgres/connections/database.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "postgres/connections/session.hpp"

namespace tideline::postgres {

using sql::Params;
using sql::Rows;
using sql::Transaction;
using sql::TransactionFailed;

namespace {

class SessionTransaction final : public Transaction {
 public:
  explicit SessionTransaction(Session& session) : session_(session) {}

  Rows execute(std::string_view sql, const Params& params) override {
    return noting_failure([&] { return session_.execute(sql, params); });
  }
  void copy_in(std::string_view table, std::span<const std::string> columns,
               std::span<const Params> rows) override {
    noting_failure([&] { session_.copy_in(table, columns, rows); });
  }

  // PostgreSQL answers COMMIT of a failed transaction with a silent rollback: whoever swallowed a
  // failure must still hear of it.
  const std::optional<core::Error>& failure() const { return failure_; }

 private:
  template <class Work>
  auto noting_failure(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const TransactionFailed& failed) {
      failure_ = failed.error();
      throw;
    }
  }

  Session& session_;
  std::optional<core::Error> failure_;
};

// Statements that have nothing to do with each other.
class SingleQueries final : public Transaction {
 public:
  explicit SingleQueries(PooledDatabase& database) : database_(database) {}

  Rows execute(std::string_view sql, const Params& params) override {
    auto rows = database_.query(sql, params);
    if (!rows) throw TransactionFailed(rows.error());
    return *std::move(rows);
  }
  void copy_in(std::string_view, std::span<const std::string>, std::span<const Params>) override {
    CHECK(false, "rows are written in a transaction");
  }

 private:
  PooledDatabase& database_;
};

}  // namespace

class PooledDatabase::Pool {
 public:
  explicit Pool(DatabaseOptions options) : options_(std::move(options)) {}

  const DatabaseOptions& options() const { return options_; }

  // Throws TransactionFailed.
  std::unique_ptr<Session> take() {
    {
      std::unique_lock lock(mutex_);
      const bool free = freed_.wait_for(lock, options_.checkout_deadline, [&] {
        return !idle_.empty() || open_ < options_.connections_max;
      });
      if (!free) {
        throw TransactionFailed(core::unavailable("no free connection to PostgreSQL in time"));
      }
      if (!idle_.empty()) {
        auto session = std::move(idle_.back());
        idle_.pop_back();
        return session;
      }
      ++open_;
    }
    try {
      return std::make_unique<Session>(options_, "pool");
    } catch (...) {
      forget();
      throw;
    }
  }

  void give_back(std::unique_ptr<Session> session) {
    if (session->broken()) {
      session.reset();
      forget();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(session));
    }
    freed_.notify_one();
  }

  // Sessions that idled while the server restarted are all broken; none of them has done anything
  // yet, so the next one is tried, down to a new connection.
  std::unique_ptr<Session> take_begun(const std::string& begin) {
    for (std::size_t attempt = 0;; ++attempt) {
      auto session = take();
      try {
        session->execute_script(begin);
        return session;
      } catch (const TransactionFailed&) {
        const bool stale = session->broken() && !session->unanswered();
        if (!stale) session->roll_back();
        give_back(std::move(session));
        if (!stale || attempt >= options_.connections_max) throw;
      }
    }
  }

  // Done again on another connection when the first turns out to be lost.
  template <class Answer, class Work>
  core::Result<Answer> read(const Work& work) {
    for (std::size_t attempt = 0;; ++attempt) {
      std::unique_ptr<Session> session;
      try {
        session = take();
        Answer answer = work(*session);
        give_back(std::move(session));
        return answer;
      } catch (const TransactionFailed& failed) {
        if (!session) return failed.error();
        const bool stale = session->broken() && !session->unanswered();
        give_back(std::move(session));
        if (!stale || attempt >= options_.connections_max) return failed.error();
      }
    }
  }

 private:
  void forget() {
    {
      const std::lock_guard lock(mutex_);
      --open_;
    }
    freed_.notify_one();
  }

  const DatabaseOptions options_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t open_ = 0;  // given out or idle
  std::vector<std::unique_ptr<Session>> idle_;
};

PooledDatabase::PooledDatabase(DatabaseOptions options)
    : pool_(std::make_unique<Pool>(std::move(options))) {}

PooledDatabase::~PooledDatabase() = default;

const DatabaseOptions& PooledDatabase::options() const { return pool_->options(); }

core::Status PooledDatabase::transact(const std::function<void(Transaction&)>& work) {
  return run("BEGIN ISOLATION LEVEL READ COMMITTED", work);
}

core::Status PooledDatabase::snapshot(const std::function<void(Transaction&)>& work) {
  return run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work);
}

core::Status PooledDatabase::each_alone(const std::function<void(Transaction&)>& work) {
  SingleQueries queries(*this);
  try {
    work(queries);
    return core::success();
  } catch (const TransactionFailed& failed) {
    return failed.error();
  }
}

core::Status PooledDatabase::run(std::string_view begin,
                                 const std::function<void(Transaction&)>& work) {
  std::unique_ptr<Session> session;
  bool committing = false;
  try {
    session = pool_->take_begun(std::string(begin));
    SessionTransaction transaction(*session);
    work(transaction);
    if (transaction.failure()) throw TransactionFailed(*transaction.failure());
    committing = true;
    session->execute_script("COMMIT");
    pool_->give_back(std::move(session));
    return core::success();
  } catch (const TransactionFailed& failed) {
    if (!session) return failed.error();
    session->roll_back();
    const bool unknown = committing && session->broken();
    pool_->give_back(std::move(session));
    if (unknown) return core::timed_out("commit of unknown outcome: " + failed.error().message);
    return failed.error();
  } catch (...) {
    if (session) {
      session->roll_back();
      pool_->give_back(std::move(session));
    }
    throw;
  }
}

core::Result<Rows> PooledDatabase::query(std::string_view sql, const Params& params) {
  return pool_->read<Rows>([&](Session& session) { return session.execute(sql, params); });
}

core::Result<BinaryRows> PooledDatabase::query_binary(std::string_view sql, const Params& params) {
  return pool_->read<BinaryRows>(
      [&](Session& session) { return session.execute_binary(sql, params); });
}

core::Status PooledDatabase::ping() {
  auto rows = query("SELECT 1", {});
  if (!rows) return rows.error();
  return core::success();
}

}  // namespace tideline::postgres
