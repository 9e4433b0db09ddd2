#include "postgres/connections/session_lock.hpp"

#include <utility>

#include "postgres/connections/session.hpp"

namespace tideline::postgres {

struct SessionLock::Held {
  explicit Held(const DatabaseOptions& database) : session(database, "lock") {}
  Session session;
};

SessionLock::SessionLock(std::unique_ptr<Held> held) : held_(std::move(held)) {}

SessionLock::~SessionLock() = default;

core::Result<std::unique_ptr<SessionLock>> SessionLock::take(const DatabaseOptions& database,
                                                             const std::string& name) {
  try {
    auto held = std::make_unique<Held>(database);
    const auto rows = held->session.execute(
        "SELECT pg_try_advisory_lock(hashtextextended('tideline ' || $1, 0))", {name});
    if (!rows.front().boolean(0)) return std::unique_ptr<SessionLock>();
    return std::unique_ptr<SessionLock>(new SessionLock(std::move(held)));
  } catch (const sql::TransactionFailed& failed) {
    return failed.error();
  }
}

}  // namespace tideline::postgres
