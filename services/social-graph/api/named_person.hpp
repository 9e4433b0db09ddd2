// People as requests name them (user_id) and as answers do (user_id and real name).
//
// Thread-safe. Looking somebody up blocks: on the request's position token, and on the database.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "http/messages/problem.hpp"
#include "people/person_json.hpp"
#include "social-graph/api/ports.hpp"

namespace tideline::social_graph {

struct NamedPerson {
  core::AccountId account;
  std::string user_id;
  std::optional<std::string> real_name;  // nullopt: not known, or not looked up
};

// What must be so of the other person.
enum class Standing {
  Any,         // nobody is looked up: the streams and tables say by themselves what there is
  Registered,  // and does not block the caller, else 404 "no-such-person"
  Open,        // that, and the account not closed, else 409 "account-closed"
};

// From "{user_id}" of the path: 422 "oneself" for the caller himself.
NamedPerson person_in_path(const ApiPorts& ports, const http::Request& request, Standing standing);
// From a body {"user_id": "..."}: 422 also for whatever else it holds.
NamedPerson person_in_body(const ApiPorts& ports, const http::Request& request, Standing standing);

// {"user_id", "real_name"}
http::Json person_json(const NamedPerson& person);

}  // namespace tideline::social_graph
