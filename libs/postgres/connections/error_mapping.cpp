#include "postgres/connections/error_mapping.hpp"

#include <utility>

namespace tideline::postgres {

using core::Error;
using core::ErrorCode;

Error error_of_sqlstate(std::string_view sqlstate, std::string message) {
  const std::string_view group = sqlstate.substr(0, 2);
  const auto retryable = [&](ErrorCode code) { return Error{code, std::move(message), true}; };
  const auto final = [&](ErrorCode code) { return Error{code, std::move(message), false}; };

  if (sqlstate.empty() || group == "08") return retryable(ErrorCode::Unavailable);
  if (group == "40") return retryable(ErrorCode::Conflict);  // serialization failure, deadlock
  if (sqlstate == "55P03") return retryable(ErrorCode::Unavailable);  // lock timeout
  if (sqlstate == "57014") return retryable(ErrorCode::Unavailable);  // statement timeout
  if (group == "25") return retryable(ErrorCode::Unavailable);  // idle in transaction, read-only
  if (group == "53" || group == "57" || group == "58") return retryable(ErrorCode::Unavailable);
  if (sqlstate == "23505") return final(ErrorCode::Conflict);  // unique constraint
  if (group == "21" || group == "22" || group == "23" || group == "54") {
    return final(ErrorCode::InvalidInput);
  }
  return final(ErrorCode::Internal);
}

}  // namespace tideline::postgres
