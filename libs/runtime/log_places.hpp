// Where the logs of a service lie when they are not all in its main database.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/connections/log_databases.hpp"

namespace tideline::runtime {

// The logs first..last lie in the database of `conninfo`.
struct LogPlace {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::string conninfo;
};

// "0-7=<conninfo>;8=<conninfo>", "" = none. InvalidInput for anything else, for a log that there is
// not, and for one that is named twice. A conninfo with a ';' is written as a URI, with %3B.
core::Result<std::vector<LogPlace>> parse_log_places(std::string_view text, std::uint32_t logs);

// The pools of the databases that logs lie in. Thread-safe once made.
class LogPools {
 public:
  // Logs without a place lie in `main`, which outlives this; the pools of the others are made with
  // its options, one for each conninfo.
  LogPools(postgres::PooledDatabase& main, const std::vector<LogPlace>& places, std::uint32_t logs);

  postgres::LogDatabases databases() const { return postgres::LogDatabases(by_log_); }
  // The main one first, also if no log lies there.
  std::vector<postgres::PooledDatabase*> all() const;

 private:
  postgres::PooledDatabase& main_;
  std::map<std::string, std::unique_ptr<postgres::PooledDatabase>> by_conninfo_;
  std::vector<postgres::PooledDatabase*> by_log_;
};

}  // namespace tideline::runtime
