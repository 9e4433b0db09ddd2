// What stands between the caller and somebody, whom both know, and whom the caller may know.
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/json.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/remarks.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/domain/suggestion.hpp"
#include "social-graph/projections/acquaintance_queries.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;
using http::WhenBehind;
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;
using sql::Window;

Json relation_json(const ApiPorts& ports, const AccountId& me, const NamedPerson& other,
                   const HeldRelation& held) {
  const auto& counts = held.follow_counts;
  Json body = person_json(other);
  body["contact"] = name_of(held.contact);
  body["follows"] = held.follows;
  body["followed_by"] = held.followed_by;
  body["blocked"] = held.blocked;
  body["remark"] = open_remark(ports, me, held.sealed_remark);
  body["mutual_contact_count"] = held.mutual_contacts;
  body["follower_count"] = counts ? Json(counts->followers) : Json(nullptr);
  body["following_count"] = counts ? Json(counts->following) : Json(nullptr);
  return body;
}

// Whoever is blocked by him asks for nobody (person_in_path).
Response get_relation(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Registered);
  return answer_from_tables<HeldRelation>(
      ports, request, WhenBehind::Refuse,
      [&](Transaction& transaction) -> HeldRelation {
        return find_relation(transaction, request.account(), other.account);
      },
      [&](HeldRelation held) {
        return Response::json(200, relation_json(ports, request.account(), other, held));
      });
}

Response list_mutual_contacts(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Registered);
  // A cursor of one person's list is no place in another's.
  const std::string kind = "mutual-contacts-" + other.account.to_string();
  return answer_people(
      ports, request, kind, WhenBehind::Refuse,
      [&](Transaction& transaction, const Window<AccountId>& window) -> Slice<PersonSince> {
        return list_mutual(transaction, request.account(), other.account, window);
      });
}

struct FoundSuggestions {
  std::vector<SuggestedPerson> suggested;
  std::map<AccountId, people::Person> people;
};

Response list_suggestions(const ApiPorts& ports, const Request& request) {
  return answer_from_tables<FoundSuggestions>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> FoundSuggestions {
        auto suggested = suggest_contacts(transaction, request.account());
        std::vector<AccountId> accounts;
        for (const SuggestedPerson& person : suggested) accounts.push_back(person.account);
        auto people = ports.people.find_many(transaction, accounts);
        return FoundSuggestions{std::move(suggested), std::move(people)};
      },
      [](FoundSuggestions found) {
        Json items = Json::array();
        for (const SuggestedPerson& person : found.suggested) {
          Json entry = people::person_json(found.people, person.account);
          entry["mutual_contact_count"] = person.mutual_contacts;
          items.push_back(std::move(entry));
        }
        return Response::json(200, {{"items", std::move(items)}});
      });
}

Response dismiss_suggestion(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Registered);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::dismissal(me, other.account);
    eventsourcing::change<Suggestion>(session, stream, eventsourcing::EventCodec<Suggestion>{},
                                      DismissSuggestion{me, other.account});
    return Answer{204, "", "", stream};
  });
}

}  // namespace

void add_acquaintance_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Get, "/v1/contacts/{user_id}/relation", Access::SignedIn, with(get_relation));
  router.add(Method::Get, "/v1/contacts/{user_id}/mutual", Access::SignedIn,
             with(list_mutual_contacts));
  router.add(Method::Get, "/v1/contact-suggestions", Access::SignedIn, with(list_suggestions));
  router.add(Method::Delete, "/v1/contact-suggestions/{user_id}", Access::SignedIn,
             with(dismiss_suggestion));
}

}  // namespace tideline::social_graph
