// Nothing here tells anybody by whom he is blocked.
#include "social-graph/api/block_commands.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/projections/block_queries.hpp"
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
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;
using sql::Window;

Response block_person(const ApiPorts& ports, const Request& request) {
  // Nobody is looked up: whoever is there, or blocks the caller, is answered alike.
  const auto other = person_in_path(ports, request, Standing::Any);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    block(session, me, other.account);
    return Answer{200, person_json(other).dump(), "", keys::block(me, other.account)};
  });
}

Response unblock_person(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Any);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    unblock(session, me, other.account);
    return Answer{204, "", "", keys::block(me, other.account)};
  });
}

Response list_blocks(const ApiPorts& ports, const Request& request) {
  return answer_people(
      ports, request, "blocks", http::WhenBehind::Stale,
      [&](Transaction& transaction, const Window<AccountId>& window) -> Slice<PersonSince> {
        return list_blocked(transaction, request.account(), window);
      });
}

}  // namespace

void add_block_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Get, "/v1/blocks", Access::SignedIn, with(list_blocks));
  router.add(Method::Put, "/v1/blocks/{user_id}", Access::SignedIn, with(block_person));
  router.add(Method::Delete, "/v1/blocks/{user_id}", Access::SignedIn, with(unblock_person));
}

}  // namespace tideline::social_graph
