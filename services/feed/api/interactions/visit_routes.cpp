// POST and GET /v1/moments/{id}/visits
//
// A count over all visitors would tell each of them that there are others: it is for the author.
#include <utility>

#include "eventsourcing/commands/once.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/feed_projection.hpp"
#include "feed/stream_keys.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using http::Request;
using http::Response;
using sql::DayCounts;

constexpr int kDaysMax = 30;

Response visit(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  require_fresh(ports, request);
  return ports.commands.answer(
      request, [&](eventsourcing::CommandSession& session) -> CommandResult {
        const core::AccountId& visitor = request.account();
        const auto author = ports.reader.find_author(*id, visitor);
        if (!author) return kNoSuchMoment;
        const core::Day today = session.context().today;
        const auto stream = keys::visit(*id, visitor, today);
        if (*author != visitor) {
          eventsourcing::record_once(session, stream, MomentVisited{*id, visitor, today});
        }
        return Answer{204, "", "", stream};
      });
}

Response visits_response(const DayCounts& visits) {
  http::Json days = http::Json::array();
  for (const auto& [day, count] : visits.days) {
    days.push_back({{"day", core::format_day(day)}, {"visits", count}});
  }
  return Response::json(200, {{"total", visits.total}, {"days", std::move(days)}});
}

Response list_visits(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  return answer_private(ports, request, ports.tables_applied, [&]() -> Response {
    const auto author = ports.reader.find_author(*id, request.account());
    if (!author) return to_response(http::not_found());
    if (*author != request.account()) {
      return to_response(http::problem(403, "not-the-author", "Forbidden",
                                       "only its author is told how often a moment was looked at"));
    }
    const auto visits =
        core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
          return sql::find_day_counts(transaction, VisitModel::kTables[0], core::to_string(*id),
                                      kDaysMax);
        }));
    return visits_response(visits);
  });
}

}  // namespace

void add_visit_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Post, "/v1/moments/{id}/visits", Access::SignedIn,
             [ports](const Request& request) { return visit(ports, request); });
  router.add(Method::Get, "/v1/moments/{id}/visits", Access::SignedIn,
             [ports](const Request& request) { return list_visits(ports, request); });
}

}  // namespace tideline::feed
