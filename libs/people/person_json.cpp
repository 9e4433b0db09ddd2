#include "people/person_json.hpp"

#include <nlohmann/json.hpp>

#include "people/avatar_path.hpp"

namespace tideline::people {
namespace {

nlohmann::json or_null(const std::optional<std::string>& text) {
  return text ? nlohmann::json(*text) : nlohmann::json(nullptr);
}

}  // namespace

nlohmann::json person_json(const Person& person) {
  const bool has_avatar = person.user_id && person.avatar;
  return {{"user_id", or_null(person.user_id)},
          {"real_name", or_null(person.real_name)},
          {"avatar", has_avatar ? nlohmann::json(avatar_path(*person.user_id, *person.avatar))
                                : nlohmann::json(nullptr)}};
}

nlohmann::json person_json(const std::map<core::AccountId, Person>& people,
                           const core::AccountId& account) {
  const auto found = people.find(account);
  return person_json(found == people.end() ? Person{} : found->second);
}

}  // namespace tideline::people
