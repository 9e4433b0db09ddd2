#include "social-graph/api/named_person.hpp"

#include <utility>

#include "blocks/blocks.hpp"
#include "core/text.hpp"
#include "http/messages/json.hpp"
#include "social-graph/domain/rejections.hpp"

namespace tideline::social_graph {
namespace {

using http::Json;
using http::Request;

NamedPerson look_up(const ApiPorts& ports, const Request& request, std::string user_id,
                    Standing standing) {
  NamedPerson person{ports.account_ids.of(user_id), std::move(user_id), std::nullopt};
  if (person.account == request.account()) {
    http::refuse(http::unprocessable(kOneself.code, kOneself.detail));
  }
  if (standing == Standing::Any) return person;
  http::await_models(request, {ports.people_applied});
  const auto found =
      core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
        auto known = ports.people.find(transaction, person.account);
        // Whoever is blocked asks for nobody; whoever blocks is told that by the command.
        const core::AccountId& me = request.account();
        if (known && blocks::has_blocked(transaction, person.account, me) &&
            !blocks::has_blocked(transaction, me, person.account)) {
          known.reset();
        }
        return known;
      }));
  if (!found) http::refuse(http::no_such_person());
  if (standing == Standing::Open && found->closed) {
    http::refuse(http::conflict("account-closed", "this person has closed the account"));
  }
  person.real_name = found->real_name;
  return person;
}

}  // namespace

NamedPerson person_in_path(const ApiPorts& ports, const Request& request, Standing standing) {
  const std::string_view user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) http::refuse(http::no_such_person());
  return look_up(ports, request, std::string(user_id), standing);
}

NamedPerson person_in_body(const ApiPorts& ports, const Request& request, Standing standing) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  std::string user_id = fields.text("user_id", {1, 64});
  if (!user_id.empty() && !core::is_user_id(user_id)) {
    fields.violate("user_id", "is not a user_id");
  }
  fields.check();
  return look_up(ports, request, std::move(user_id), standing);
}

Json person_json(const NamedPerson& person) {
  return people::person_json({.account = person.account,
                              .user_id = person.user_id,
                              .real_name = person.real_name,
                              .department = std::nullopt});
}

}  // namespace tideline::social_graph
