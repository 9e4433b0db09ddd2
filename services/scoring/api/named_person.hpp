// People as requests name them (user_id) and as answers do (user_id and real name).
//
// Thread-safe. Looking somebody up blocks on the database.
#pragma once

#include <map>
#include <vector>

#include "http/messages/problem.hpp"
#include "people/person_json.hpp"
#include "scoring/api/ports.hpp"

namespace tideline::scoring {

// From "{user_id}" of the path, also one whose account is closed; 404 "no-such-person".
people::Person registered_in_path(const ApiPorts& ports, const http::Request& request);
// The same, but whose account is closed, or who is on the other side of a block, is not there
// either.
people::Person member_in_path(const ApiPorts& ports, const http::Request& request);
// Refuses what belongs to `owner` with `problem` where that is on the other side of a block.
void refuse_apart(const ApiPorts& ports, const http::Request& request, const core::AccountId& owner,
                  const http::Problem& problem);

// Several at once, in one question to the database.
class NamedPeople {
 public:
  static NamedPeople find(const ApiPorts& ports, const std::vector<core::AccountId>& accounts);
  http::Json json(const core::AccountId& account) const;

 private:
  std::map<core::AccountId, people::Person> people_;
};

}  // namespace tideline::scoring
