#include "postgres/libpq_result.hpp"

#include "eventsourcing/transaction.hpp"
#include "postgres/error_mapping.hpp"

namespace tideline::postgres {

bool succeeded(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  // A script may be nothing but comments.
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

void throw_failure(PGconn* connection, const PGresult* result) {
  const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  // A pipeline's answer has a message of its own; the connection knows that of the last one only.
  const char* message =
      result == nullptr ? PQerrorMessage(connection) : PQresultErrorMessage(result);
  throw eventsourcing::TransactionFailed(error_of_sqlstate(state == nullptr ? "" : state, message));
}

}  // namespace tideline::postgres
