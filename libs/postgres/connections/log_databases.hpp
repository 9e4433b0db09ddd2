// Which PostgreSQL database each log of a service lies in. A value that refers to databases, which
// outlive it; thread-safe once made.
//
// Every database has a position row for every log (base_migrations() knows no places); only that in
// the log's own database is ever used, the others stay at 0.
#pragma once

#include <cstddef>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "postgres/connections/database.hpp"

namespace tideline::postgres {

class LogDatabases {
 public:
  // by_log[p] holds log p.
  explicit LogDatabases(std::vector<PooledDatabase*> by_log);
  static LogDatabases all_in(PooledDatabase& database, std::uint32_t logs);

  std::uint32_t logs() const { return static_cast<std::uint32_t>(index_of_.size()); }
  // The databases that hold a log are numbered in the order of their lowest logs: for all processes
  // alike, in whatever order their settings name them. The one that locks in several keeps that
  // order.
  std::size_t count() const { return databases_.size(); }
  PooledDatabase& at(std::size_t index) const { return *databases_.at(index); }
  std::size_t index_of(core::LogIndex log) const { return index_of_.at(log.value()); }
  PooledDatabase& of(core::LogIndex log) const { return at(index_of(log)); }

 private:
  std::vector<PooledDatabase*> databases_;
  std::vector<std::size_t> index_of_;  // by log
};

// InvalidInput if the databases cannot hold the logs as they are placed: two of them are the same
// one, one cannot prepare transactions or commits without waiting for its disk, or one has events
// of a log that is said to lie elsewhere.
// Nothing is asked where all logs lie in one. Blocks for a query or two of each database.
core::Status check_places(const LogDatabases& databases);

}  // namespace tideline::postgres
