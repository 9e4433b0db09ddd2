#include "postgres/connections/libpq_result.hpp"

#include "postgres/connections/error_mapping.hpp"
#include "sql/transaction.hpp"

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
  throw sql::TransactionFailed(error_of_sqlstate(state == nullptr ? "" : state, message));
}

}  // namespace tideline::postgres
