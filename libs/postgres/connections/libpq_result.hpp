// An answer of libpq as its owner, and as the Error that it stands for. For the .cpp files that
// call libpq themselves.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace tideline::postgres {

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultPointer = std::unique_ptr<PGresult, ClearResult>;

// Of a statement, with rows or without.
bool succeeded(const PGresult* result);

// Throws TransactionFailed by the answer's SQLSTATE; without an answer, or one without a state, the
// connection is taken to be lost.
[[noreturn]] void throw_failure(PGconn* connection, const PGresult* result);

}  // namespace tideline::postgres
