#include <utility>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "projects/api/authored_pages.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/rejections.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;

constexpr http::Length kAdviceLength{1, 2000};

Json advice_json(const AdviceRow& row, Json author, const std::optional<std::string>& text) {
  return {
      {"id", row.id},
      {"author", std::move(author)},
      {"text", text ? Json(*text) : Json(nullptr)},
      {"given_at", core::format_iso8601(row.given_at)},
      {"adopted", row.adopted_at.has_value()},
      {"adopted_at", row.adopted_at ? Json(core::format_iso8601(*row.adopted_at)) : Json(nullptr)},
  };
}

Response give_advice(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string text = fields.text("text", kAdviceLength);
  fields.check();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of_shown(ports, session, id, request.account());
    const core::Timestamp now = session.context().now;
    const std::string advice_id = core::make_time_ordered_id(now, ports.random);
    const auto stream = keys::advice(id, advice_id);
    change<Advice>(session, stream, eventsourcing::EventCodec<Advice>(ports.cipher),
                   GiveAdvice{{id, author, advice_id, request.account()}, text});
    const AdviceRow row{advice_id, request.account(), "", now, std::nullopt};
    return Answer{201, advice_json(row, person_json(ports, request.account()), text).dump(),
                  "/v1/projects/" + id + "/advice", stream};
  });
}

// The advice that a path names, below its project; 404 for what none can be called.
struct NamedAdvice {
  std::string project;
  std::string advice;
};

NamedAdvice advice_in_path(const Request& request) {
  auto project = project_in_path(request);
  const std::string_view advice = request.param("advice_id");
  if (!core::is_time_ordered_id(advice)) {
    http::refuse(http::problem(404, kNoSuchAdvice.code, "Not Found", kNoSuchAdvice.detail));
  }
  return NamedAdvice{std::move(project), std::string(advice)};
}

template <class Command>
Response change_advice(const ApiPorts& ports, const Request& request, int status) {
  const auto named = advice_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::advice(named.project, named.advice);
    author_beyond_block(ports, session, named.project, request.account());
    hide_from_strangers(ports, session, named.project, request.account(), [&] {
      change<Advice>(session, stream, eventsourcing::EventCodec<Advice>(ports.cipher),
                     Command{request.account()});
    });
    const std::string body =
        status == 204 ? "" : Json({{"id", named.advice}, {"adopted", true}}).dump();
    return Answer{status, body, "", stream};
  });
}

Response adopt_advice(const ApiPorts& ports, const Request& request) {
  return change_advice<AdoptAdvice>(ports, request, 200);
}

Response withdraw_advice(const ApiPorts& ports, const Request& request) {
  return change_advice<WithdrawAdvice>(ports, request, 204);
}

std::optional<std::string> parse_place(std::string_view text) {
  if (!core::is_time_ordered_id(text)) return std::nullopt;
  return std::string(text);
}

constexpr AuthoredList<AdviceRow, std::string> kAdvice{
    .kind = "advice",
    .context = eventsourcing::Stored<AdviceGiven>::kTextContext,
    .author = &AdviceRow::adviser,
    .select = list_advice,
    .place_of = [](const AdviceRow& row) { return row.id; },
    .parse_place = parse_place,
    .show = advice_json,
};

Response get_advice(const ApiPorts& ports, const Request& request) {
  return answer_authored_page(ports, request, kAdvice);
}

}  // namespace

void add_advice_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/projects/{project_id}/advice", Access::SignedIn, with(give_advice));
  router.add(Method::Get, "/v1/projects/{project_id}/advice", Access::SignedIn, with(get_advice));
  router.add(Method::Delete, "/v1/projects/{project_id}/advice/{advice_id}", Access::SignedIn,
             with(withdraw_advice));
  router.add(Method::Put, "/v1/projects/{project_id}/advice/{advice_id}/adoption", Access::SignedIn,
             with(adopt_advice));
}

}  // namespace tideline::projects
