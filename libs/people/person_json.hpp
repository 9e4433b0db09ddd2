// People as answers name them: {"user_id", "real_name", "avatar"}, null where the directory does
// not know them (yet, or any more). avatar is a path (avatar_path.hpp). Pure functions.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>

#include "people/people_directory.hpp"

namespace tideline::people {

nlohmann::json person_json(const Person& person);
// For an account that is not among `people`, all are null.
nlohmann::json person_json(const std::map<core::AccountId, Person>& people,
                           const core::AccountId& account);

}  // namespace tideline::people
