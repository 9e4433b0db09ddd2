// Subcommands about a person for who may run programs on the server, and for no account.
//
//   tideline-social-graph --config FILE export USER_ID       what this person has written and set
//   tideline-social-graph --config FILE tagged-by USER_ID    who has tagged this person
#pragma once

#include "runtime/operations.hpp"

namespace tideline::social_graph {

// Prints one JSON object.
runtime::Operation export_operation();

// Prints a line for each tag: whose it is, its id, and since when. Its name is its owner's alone.
// No route shows this: whoever is tagged must not learn of it.
runtime::Operation tagged_by_operation();

}  // namespace tideline::social_graph
