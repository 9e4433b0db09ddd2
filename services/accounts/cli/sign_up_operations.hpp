// Subcommands about who may register.
//
//   tideline-accounts --config FILE import FILE         user_id,email: only who reads that address
//   registers the user_id tideline-accounts --config FILE invite USER_ID...   prints a code for
//   each
#pragma once

#include "accounts/settings.hpp"
#include "runtime/operations.hpp"

namespace tideline::accounts {

// Stores keyed hashes of the addresses, and nothing in clear. Again, or a longer list, changes what
// has changed.
runtime::Operation enrol_operation();
// `settings` must outlive it.
runtime::Operation invite_operation(const Settings& settings);

}  // namespace tideline::accounts
