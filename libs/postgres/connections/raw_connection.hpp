// libpqxx's connection, with the libpq handle beneath it: libpqxx 6.4 writes COPY rows only from
// tuples whose length the compiler knows. Included by session.cpp alone.
#pragma once

#include <libpq-fe.h>

#include <pqxx/pqxx>
#include <string>

namespace tideline::postgres {

class HandleKeeper : public pqxx::connect_direct {
 public:
  using pqxx::connect_direct::connect_direct;
  handle do_startconnect(handle before) override {
    return handle_ = pqxx::connect_direct::do_startconnect(before);
  }
  PGconn* current() const { return handle_; }

 private:
  PGconn* handle_ = nullptr;
};

// The policy must outlive connection_base's destructor and exist before its constructor.
struct PolicyHolder {
  explicit PolicyHolder(const std::string& conninfo) : policy(conninfo) {}
  HandleKeeper policy;
};

class RawConnection final : private PolicyHolder, public pqxx::connection_base {
 public:
  // Throws pqxx::broken_connection.
  explicit RawConnection(const std::string& conninfo)
      : PolicyHolder(conninfo), pqxx::connection_base(policy) {
    init();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    // It would open a new connection inside a statement and forget the session's settings.
    inhibit_reactivation(true);
#pragma GCC diagnostic pop
  }
  ~RawConnection() { close(); }

  PGconn* handle() const { return policy.current(); }
};

}  // namespace tideline::postgres
