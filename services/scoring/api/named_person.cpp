#include "scoring/api/named_person.hpp"

#include <string>
#include <utility>

#include "blocks/blocks.hpp"
#include "core/text.hpp"

namespace tideline::scoring {

using http::Json;
using http::Request;

people::Person registered_in_path(const ApiPorts& ports, const Request& request) {
  const std::string_view user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) http::refuse(http::no_such_person());
  auto found = core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
    return ports.people.find(transaction, ports.account_ids.of(user_id));
  }));
  if (!found) http::refuse(http::no_such_person());
  // The caller knows the name already, also while the directory does not.
  found->user_id = std::string(user_id);
  return *std::move(found);
}

people::Person member_in_path(const ApiPorts& ports, const Request& request) {
  auto person = registered_in_path(ports, request);
  if (person.closed) http::refuse(http::no_such_person());
  refuse_apart(ports, request, person.account, http::no_such_person());
  return person;
}

void refuse_apart(const ApiPorts& ports, const Request& request, const core::AccountId& owner,
                  const http::Problem& problem) {
  if (owner == request.account()) return;
  const bool apart =
      core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
        return blocks::are_apart(transaction, request.account(), owner);
      }));
  if (apart) http::refuse(problem);
}

NamedPeople NamedPeople::find(const ApiPorts& ports, const std::vector<core::AccountId>& accounts) {
  NamedPeople named;
  if (accounts.empty()) return named;
  named.people_ = core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
    return ports.people.find_many(transaction, accounts);
  }));
  return named;
}

Json NamedPeople::json(const core::AccountId& account) const {
  return person_json(people_, account);
}

}  // namespace tideline::scoring
