#include <utility>
#include <vector>

#include "core/keys.hpp"
#include "core/time_ordered_id.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/codecs.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/rejections.hpp"
#include "projects/projections/project_queries.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::Transaction;
using http::Access;
using http::Json;
using http::Method;
using http::Parsed;
using http::Request;
using http::Response;

constexpr http::Length kTextLength{1, 2000};
constexpr std::string_view kKind = "advice";

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
  if (!id) return id.response();
  const auto body = http::read_json_object(request);
  if (!body) return body.response();
  http::FieldReader fields(*body);
  const std::string text = fields.text("text", kTextLength);
  if (const auto problem = fields.problem()) return to_response(*problem);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of(ports, session, *id);
    if (!author) return author.stopped();
    const core::Timestamp now = session.context().now;
    const std::string advice_id = core::make_time_ordered_id(now, ports.random);
    const auto stream = core::keys::advice(*id, advice_id);
    const auto given =
        change<Advice>(session, stream, AdviceCodec(ports.cipher),
                       GiveAdvice{{*id, *author, advice_id, request.account()}, text});
    if (!given) return given.stopped();
    const AdviceRow row{advice_id, request.account(), "", now, std::nullopt};
    return Answer{201, advice_json(row, person_json(ports, request.account()), text).dump(),
                  "/v1/projects/" + *id + "/advice", stream};
  });
}

// The advice that a path names, below its project; 404 for what none can be called.
struct NamedAdvice {
  std::string project;
  std::string advice;
};

Parsed<NamedAdvice> advice_in_path(const Request& request) {
  auto project = project_in_path(request);
  if (!project) return project.problem();
  const std::string_view advice = request.param("advice_id");
  if (!core::is_time_ordered_id(advice)) {
    return http::problem(404, kNoSuchAdvice.code, "Not Found", kNoSuchAdvice.detail);
  }
  return NamedAdvice{*std::move(project), std::string(advice)};
}

template <class Command>
Response change_advice(const ApiPorts& ports, const Request& request, int status) {
  const auto named = advice_in_path(request);
  if (!named) return named.response();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = core::keys::advice(named->project, named->advice);
    const auto changed =
        change<Advice>(session, stream, AdviceCodec(ports.cipher), Command{request.account()});
    if (!changed) return changed.stopped();
    const std::string body =
        status == 204 ? "" : Json({{"id", named->advice}, {"adopted", true}}).dump();
    return Answer{status, body, "", stream};
  });
}

Response adopt_advice(const ApiPorts& ports, const Request& request) {
  return change_advice<AdoptAdvice>(ports, request, 200);
}

Response withdraw_advice(const ApiPorts& ports, const Request& request) {
  return change_advice<WithdrawAdvice>(ports, request, 204);
}

struct SignedAdvice {
  eventsourcing::Slice<AdviceRow> page;
  std::map<core::AccountId, people::Person> people;
};

std::optional<std::string> parse_place(std::string_view text) {
  if (!core::is_time_ordered_id(text)) return std::nullopt;
  return std::string(text);
}

SignedAdvice read_advice(const ApiPorts& ports, Transaction& transaction,
                         const std::string& project, const http::PageRequest<std::string>& page) {
  SignedAdvice read{list_advice(transaction, project, page.before, page.after, page.limit), {}};
  std::vector<core::AccountId> advisers;
  for (const AdviceRow& row : read.page.items) advisers.push_back(row.adviser);
  read.people = ports.people.find_many(transaction, advisers);
  return read;
}

Response answer_page(const ApiPorts& ports, const SignedAdvice& read) {
  std::vector<crypto::SealedText> sealed;
  for (const AdviceRow& row : read.page.items) {
    sealed.push_back({row.adviser, row.sealed_text, kAdviceContext});
  }
  const auto texts = ports.cipher.open_many(sealed);
  if (!texts) return to_response(http::from_error(texts.error()));
  http::Page page;
  for (std::size_t i = 0; i < read.page.items.size(); ++i) {
    const AdviceRow& row = read.page.items[i];
    page.items.push_back(advice_json(row, person_json(read.people, row.adviser), (*texts)[i]));
  }
  if (read.page.more_before) page.before = read.page.items.front().id;
  if (read.page.more_after) page.after = read.page.items.back().id;
  return http::page_response(kKind, std::move(page));
}

Response get_advice(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  if (!id) return id.response();
  const auto page = http::read_page(request, kKind, parse_place);
  if (!page) return page.response();
  return answer_from_tables<SignedAdvice>(
      ports, request,
      [&](Transaction& transaction) -> Parsed<SignedAdvice> {
        if (!find_project(transaction, *id)) return no_such_project();
        return read_advice(ports, transaction, *id, *page);
      },
      [&](const SignedAdvice& read) { return answer_page(ports, read); });
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
