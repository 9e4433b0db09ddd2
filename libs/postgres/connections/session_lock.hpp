// A name that at most one process holds: a session advisory lock on a connection of its own. When
// the process dies, PostgreSQL frees it. A connection that breaks frees it too, unnoticed: what
// must not happen twice needs a fence of its own.
#pragma once

#include <memory>
#include <string>

#include "core/result.hpp"
#include "postgres/connections/database.hpp"

namespace tideline::postgres {

class SessionLock {
 public:
  // nullptr: another session holds it. Does not wait for it; blocks on the database.
  static core::Result<std::unique_ptr<SessionLock>> take(const DatabaseOptions& database,
                                                         const std::string& name);
  ~SessionLock();

 private:
  struct Held;
  explicit SessionLock(std::unique_ptr<Held> held);

  std::unique_ptr<Held> held_;
};

}  // namespace tideline::postgres
