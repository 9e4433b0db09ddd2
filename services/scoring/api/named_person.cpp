#include "scoring/api/named_person.hpp"

#include <string>
#include <utility>

#include "core/text.hpp"

namespace tideline::scoring {

using http::Json;
using http::Parsed;
using http::Request;

http::Problem no_such_person() {
  return http::problem(404, "no-such-person", "Not found", "nobody has registered this user_id");
}

Parsed<people::Person> registered_in_path(const ApiPorts& ports, const Request& request) {
  const std::string_view user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) return no_such_person();
  auto found = ports.database.read_each_alone([&](sql::Transaction& transaction) {
    return ports.people.find(transaction, ports.account_ids.of(user_id));
  });
  if (!found) return http::from_error(found.error());
  if (!*found) return no_such_person();
  // The caller knows the name already, also while the directory does not.
  (*found)->user_id = std::string(user_id);
  return **std::move(found);
}

Parsed<people::Person> member_in_path(const ApiPorts& ports, const Request& request) {
  auto person = registered_in_path(ports, request);
  if (person && person->closed) return no_such_person();
  return person;
}

Parsed<NamedPeople> NamedPeople::find(const ApiPorts& ports,
                                      const std::vector<core::AccountId>& accounts) {
  NamedPeople named;
  if (accounts.empty()) return named;
  auto found = ports.database.read_each_alone(
      [&](sql::Transaction& transaction) { return ports.people.find_many(transaction, accounts); });
  if (!found) return http::from_error(found.error());
  named.people_ = *std::move(found);
  return named;
}

Json NamedPeople::json(const core::AccountId& account) const {
  return person_json(people_, account);
}

}  // namespace tideline::scoring
