// The subcommand "roles": who has roles, and giving and taking them. Only who may run programs on
// the server can, so no account makes itself an operator.
//
//   tideline-accounts --config FILE roles
//   tideline-accounts --config FILE roles give operator USER_ID...
//   tideline-accounts --config FILE roles take operator USER_ID...
#pragma once

#include "runtime/operations.hpp"

namespace tideline::accounts {

// A role that was given is in the tokens of the next sign-in or refresh. One that was taken ends
// all sessions of the account, and their tokens at once.
runtime::Operation role_operation();

}  // namespace tideline::accounts
