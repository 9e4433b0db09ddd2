// People as requests name them (user_id); people/person_json.hpp names them in answers.
//
// Thread-safe. Looking somebody up blocks on the database.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "feed/api/ports.hpp"
#include "http/messages/problem.hpp"
#include "people/person_json.hpp"

namespace tideline::feed {

using PeopleByAccount = std::map<core::AccountId, people::Person>;

// 404 "no-such-person" unless all of them have registered. Knows what the request's token says.
PeopleByAccount find_registered(const ApiPorts& ports, const http::Request& request,
                                const std::vector<core::AccountId>& accounts);

}  // namespace tideline::feed
