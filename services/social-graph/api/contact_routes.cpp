#include "social-graph/api/block_commands.hpp"
#include "social-graph/api/contact_commands.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/remarks.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/domain/rejections.hpp"
#include "social-graph/projections/contact_queries.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Method;
using http::Request;
using http::Response;
using http::WhenBehind;
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;
using sql::Window;

constexpr http::Length kRemarkLength{1, 64};

std::string relation_body(const NamedPerson& person, Relation relation) {
  auto body = person_json(person);
  body["relation"] = name_of(relation);
  return body.dump();
}

Response request_contact(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_body(ports, request, Standing::Open);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    refuse_blocked(session, me, other.account);
    const auto pair =
        change_pair(session, me, other.account,
                    RequestContact{me, other.account, session.context().now, ports.declined_for},
                    ports.contact_limit);
    const bool contacts = pair.state.phase == ContactPair::Phase::Contacts;
    return Answer{201, relation_body(other, contacts ? Relation::Contact : Relation::Outgoing), "",
                  keys::contact(me, other.account)};
  });
}

Response accept_contact(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Open);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    refuse_blocked(session, me, other.account);
    change_pair(session, me, other.account, AcceptContact{me, other.account}, ports.contact_limit);
    return Answer{200, relation_body(other, Relation::Contact), "",
                  keys::contact(me, other.account)};
  });
}

// Declining, withdrawing and removing: whatever the other's account has become, and with nothing to
// say afterwards. `make_command` makes the command of me, the other and the time.
template <class MakeCommand>
http::Handler ending(const ApiPorts& ports, const MakeCommand& make_command) {
  return [ports, make_command](const Request& request) -> Response {
    const auto other = person_in_path(ports, request, Standing::Any);
    const AccountId& me = request.account();
    return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
      change_pair(session, me, other.account,
                  make_command(me, other.account, session.context().now), ports.contact_limit);
      return Answer{204, "", "", keys::contact(me, other.account)};
    });
  };
}

Response list_requests(const ApiPorts& ports, const Request& request) {
  const auto direction = request.query("direction").value_or("incoming");
  if (direction != name_of(Relation::Incoming) && direction != name_of(Relation::Outgoing)) {
    return to_response(http::malformed("direction is incoming or outgoing"));
  }
  const bool incoming = direction == name_of(Relation::Incoming);
  return answer_people(
      ports, request, incoming ? "contact-requests-incoming" : "contact-requests-outgoing",
      WhenBehind::Stale,
      [&](Transaction& transaction, const Window<AccountId>& window) -> Slice<PersonSince> {
        return list_related(transaction, request.account(),
                            incoming ? Relation::Incoming : Relation::Outgoing, window);
      });
}

Response list_own_contacts(const ApiPorts& ports, const Request& request) {
  const AccountId& me = request.account();
  return answer_people_with<ListedContact>(
      ports, request, "contacts", WhenBehind::Stale,
      [&](Transaction& transaction, const Window<AccountId>& window) {
        return list_contacts(transaction, me, window);
      },
      [&](const std::vector<ListedContact>& contacts, http::Json& entries) {
        for (std::size_t i = 0; i < contacts.size(); ++i) {
          entries[i]["remark"] = open_remark(ports, me, contacts[i].sealed_remark);
        }
      });
}

Response set_remark(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string remark = fields.text("remark", kRemarkLength);
  fields.check();
  const auto other = person_in_path(ports, request, Standing::Any);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    change_remark(session, ports.cipher, me, other.account, remark);
    return Answer{204, "", "", keys::remark(me, other.account)};
  });
}

Response delete_remark(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Any);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    remove_remark(session, me, other.account);
    return Answer{204, "", "", keys::remark(me, other.account)};
  });
}

struct FoundContact {
  HeldContact contact;
  std::optional<people::Person> person;
};

Response get_contact(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Any);
  return answer_from_tables<FoundContact>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> FoundContact {
        const auto contact = find_contact(transaction, request.account(), other.account);
        if (!contact) {
          http::refuse(http::problem(404, kNoSuchContact.code, "Not found", kNoSuchContact.detail));
        }
        return FoundContact{*contact, ports.people.find(transaction, other.account)};
      },
      [&](FoundContact found) {
        NamedPerson person = other;
        if (found.person) person.real_name = found.person->real_name;
        auto body = person_json(person);
        body["since"] = core::format_iso8601(found.contact.since);
        return Response::json(200, body).header("ETag", http::entity_tag(found.contact.version));
      });
}

}  // namespace

void add_contact_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/contact-requests", Access::SignedIn, with(request_contact));
  router.add(Method::Get, "/v1/contact-requests", Access::SignedIn, with(list_requests));
  router.add(Method::Post, "/v1/contact-requests/{user_id}/accept", Access::SignedIn,
             with(accept_contact));
  router.add(Method::Post, "/v1/contact-requests/{user_id}/decline", Access::SignedIn,
             ending(ports, [](const AccountId& me, const AccountId& other, core::Timestamp now) {
               return DeclineContact{me, other, now};
             }));
  router.add(Method::Delete, "/v1/contact-requests/{user_id}", Access::SignedIn,
             ending(ports, [](const AccountId& me, const AccountId& other, core::Timestamp) {
               return WithdrawContactRequest{me, other};
             }));
  router.add(Method::Get, "/v1/contacts", Access::SignedIn, with(list_own_contacts));
  router.add(Method::Put, "/v1/contacts/{user_id}/remark", Access::SignedIn, with(set_remark));
  router.add(Method::Delete, "/v1/contacts/{user_id}/remark", Access::SignedIn,
             with(delete_remark));
  router.add(Method::Get, "/v1/contacts/{user_id}", Access::SignedIn, with(get_contact));
  router.add(Method::Delete, "/v1/contacts/{user_id}", Access::SignedIn,
             ending(ports, [](const AccountId& me, const AccountId& other, core::Timestamp) {
               return RemoveContact{me, other};
             }));
}

}  // namespace tideline::social_graph
