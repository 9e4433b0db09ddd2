// Subcommands about an account for who may run programs on the server, and for no account.
//
//   tideline-accounts --config FILE roles                              who has roles
//   tideline-accounts --config FILE roles give operator USER_ID...
//   tideline-accounts --config FILE roles take operator USER_ID...
//   tideline-accounts --config FILE second-factor remove USER_ID       for who has lost the app
//   tideline-accounts --config FILE password USER_ID <FILE             for who has lost it
//   tideline-accounts --config FILE suspension begin USER_ID --days N <FILE    why, for the person
//   tideline-accounts --config FILE suspension lift USER_ID
#pragma once

#include "accounts/settings.hpp"
#include "runtime/operations.hpp"

namespace tideline::accounts {

// A role that was given is in the tokens of the next sign-in or refresh; where operators need a
// second factor it is given to nobody without one. One that was taken ends all sessions of the
// account, and their tokens at once. `settings` must outlive it.
runtime::Operation role_operation(const Settings& settings);

// Takes the roles of the account as well.
runtime::Operation second_factor_operation();

// Reads the new password from the first line of standard input, and ends all sessions of the
// account.
runtime::Operation password_operation();

// Beginning one ends all sessions of the account, and their tokens at once; the first line of
// standard input is what the person is told at a sign-in until it is over.
runtime::Operation suspension_operation();

}  // namespace tideline::accounts
