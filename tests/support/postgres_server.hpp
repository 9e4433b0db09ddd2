// A real PostgreSQL for tests, in a temporary folder on a free port of 127.0.0.1, started by
// deploy/parts/postgres. It is stopped and its folder removed when the object goes, and also when
// the test process dies in any other way: a watchdog holds the end of a pipe to it.
//
// Failures to start abort the test binary with a message. Not thread-safe; starting blocks for a
// few seconds.
#pragma once

#include <string>
#include <string_view>

#include "support/part.hpp"

namespace tideline::test_support {

class PostgresServer {
 public:
  explicit PostgresServer(int prepared_transactions_max = 20);

  // One server for the whole test binary, started at the first call.
  static PostgresServer& shared();

  // Makes the database `name` (a-z, 0-9, _) owned by the role of the same name and returns the
  // libpq conninfo of that role.
  std::string create_database(std::string_view name);
  // A database with a name that was not used yet.
  std::string create_database();

  // Of the superuser, on database "postgres".
  const std::string& superuser_conninfo() const { return superuser_conninfo_; }
  int port() const { return port_; }

  // As a crash would: SIGKILL for the server and its children; start() brings it back with its data
  // on the same port.
  void kill();
  void start();

  // Keeps a copy of all data, stopping the server for it; later the copy takes the place of what is
  // there then, as when somebody restores an old backup. put_back() kills, and leaves start() to
  // the caller.
  void save();
  void put_back();

 private:
  Part part_;
  std::string superuser_conninfo_;
  int prepared_transactions_max_;
  int port_ = 0;
  int databases_ = 0;
};

}  // namespace tideline::test_support
