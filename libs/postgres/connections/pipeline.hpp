// Prepared statements sent together in libpq's pipeline mode, with binary parameters: one round
// trip for all, nothing quoted, nothing parsed from text on the other side. For the hot path of the
// event store; everything else goes through Session::execute().
#pragma once

#include <libpq-fe.h>

#include <span>
#include <string>
#include <vector>

#include "postgres/connections/binary_rows.hpp"

namespace tideline::postgres {

struct PreparedCall {
  const char* statement;            // a name that Session::prepare() was given
  std::vector<std::string> params;  // in binary form
};

// Runs the calls and waits for all answers. Throws TransactionFailed for the first that failed;
// what came after it has had no effect. The connection is ready again unless it is lost.
std::vector<BinaryRows> run_pipeline(PGconn* connection, std::span<const PreparedCall> calls);

}  // namespace tideline::postgres
