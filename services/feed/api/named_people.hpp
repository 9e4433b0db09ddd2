// People as requests name them (user_id) and as answers do (user_id and real name).
//
// Thread-safe. Looking somebody up blocks on the database.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "feed/api/ports.hpp"
#include "http/problem.hpp"

namespace tideline::feed {

using PeopleByAccount = std::map<core::AccountId, people::Person>;

// 404 "no-such-person" unless all of them have registered. Knows what the request's token says.
http::Parsed<PeopleByAccount> find_registered(const ApiPorts& ports, const http::Request& request,
                                              const std::vector<core::AccountId>& accounts);

// {"user_id", "real_name"}; both null for whom the directory does not name (erased).
http::Json person_json(const PeopleByAccount& people, const core::AccountId& account);

http::Problem no_such_person();

}  // namespace tideline::feed
