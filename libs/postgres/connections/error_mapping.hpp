// From PostgreSQL's SQLSTATE to the Error that callers see. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tideline::postgres {

// Retryable is what may succeed when it is done again, unchanged; "" stands for a lost connection.
core::Error error_of_sqlstate(std::string_view sqlstate, std::string message);

}  // namespace tideline::postgres
