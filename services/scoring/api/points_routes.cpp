#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/cursor.hpp"
#include "http/messages/json.hpp"
#include "scoring/api/ledger_json.hpp"
#include "scoring/api/named_person.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/score_json.hpp"
#include "scoring/domain/adjustment.hpp"
#include "scoring/projections/ledger_queries.hpp"
#include "scoring/stored_events.hpp"
#include "scoring/stream_keys.hpp"

namespace tideline::scoring {
namespace {

namespace es = eventsourcing;
using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kLedger = "ledger";
constexpr std::size_t kReasonLengthMax = 500;

Json points_json(const ApiPorts& ports, Json person, const core::AccountId& account) {
  Json json = total_json(ports, ports.scores.total(account));
  json.update(person);
  return json;
}

Response own_points(const ApiPorts& ports, const Request& request) {
  return http::answer_query(request, {ports.scores_in_memory}, http::WhenBehind::Stale, [&] {
    auto named = NamedPeople::find(ports, {request.account()});
    return Response::json(200,
                          points_json(ports, named.json(request.account()), request.account()));
  });
}

Response points_of(const ApiPorts& ports, const Request& request) {
  return http::answer_query(
      request, {ports.people_applied, ports.blocks_applied, ports.scores_in_memory},
      http::WhenBehind::Stale, [&] {
        const auto person = member_in_path(ports, request);
        return Response::json(200, points_json(ports, person_json(person), person.account));
      });
}

Response own_ledger(const ApiPorts& ports, const Request& request) {
  const auto wanted = http::value_of(http::read_page(request, kLedger, parse_ledger_place));
  return http::answer_query(request, {ports.scores_committed}, http::WhenBehind::Stale, [&] {
    const auto slice = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return list_ledger(transaction, request.account(),
                         {wanted.before, wanted.after, wanted.limit});
    }));
    http::Page page;
    for (Json& item : ledger_json(ports, request.account(), slice.items)) {
      page.items.push_back(std::move(item));
    }
    const auto place = [](const LedgerEntry& entry) {
      return sql::place_text(LedgerPlace{entry.time, entry.event});
    };
    if (!slice.items.empty()) {
      if (slice.more_before) page.before = place(slice.items.front());
      if (slice.more_after) page.after = place(slice.items.back());
    }
    return http::page_response(kLedger, std::move(page));
  });
}

Response adjust(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  AdjustPoints command;
  command.delta = fields.integer("delta", -Adjustment::kDeltaMax, Adjustment::kDeltaMax);
  command.reason = fields.text("reason", {1, kReasonLengthMax});
  fields.check();
  http::await_models(request, {ports.people_applied});
  const auto person = registered_in_path(ports, request);
  if (person.closed) {
    return to_response(http::conflict("account-closed", "this person has closed the account"));
  }
  command.account_id = person.account;
  command.operator_id = request.account();
  const std::string id = core::make_time_ordered_id(ports.clock.now(), ports.random);
  const core::StreamId stream = keys::adjustment(id);
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    es::change<Adjustment>(session, stream, eventsourcing::EventCodec<Adjustment>(ports.cipher),
                           command);
    const Json answer = {{"adjustment_id", id},
                         {"user", person_json(person)},
                         {"delta", command.delta},
                         {"reason", command.reason}};
    return es::Answer{201, answer.dump(), "", stream};
  });
}

}  // namespace

void add_points_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/points/me", Access::SignedIn,
             [ports](const Request& request) { return own_points(ports, request); });
  router.add(Method::Get, "/v1/points/me/ledger", Access::SignedIn,
             [ports](const Request& request) { return own_ledger(ports, request); });
  router.add(Method::Get, "/v1/points/{user_id}", Access::SignedIn,
             [ports](const Request& request) { return points_of(ports, request); });
  router.add(Method::Post, "/v1/points/{user_id}/adjustments", Access::Operator,
             [ports](const Request& request) { return adjust(ports, request); });
}

}  // namespace tideline::scoring
