// GET /v1/timeline, GET /v1/timeline/stream, GET /v1/moments?author=, GET
// /v1/moments/months?author=, GET /v1/moments/pinned?author=, GET /v1/moments/{id}, GET
// /v1/moments/{id}/audience
#include "core/text.hpp"
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/pinned_moments.hpp"
#include "http/messages/cursor.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;

constexpr std::string_view kTimelineCursor = "timeline";
constexpr std::string_view kAuthorCursor = "moments";
constexpr std::size_t kMonthLength = 7;  // "2026-01"

Response page_of(const ApiPorts& ports, const Request& request, std::string_view kind,
                 const TimelinePage& page) {
  std::optional<std::string> before;
  std::optional<std::string> after;
  if (page.has_newer) before = core::to_string(page.entries.front().id);
  if (page.has_older) after = core::to_string(page.entries.back().id);
  http::PageText text(kind, before, after);
  append_moment_items(ports, request, page.entries, text.items());
  return std::move(text).response();
}

Response handle_timeline(const ApiPorts& ports, const Request& request) {
  const auto wanted =
      http::value_of(http::read_page(request, kTimelineCursor, core::parse_moment_id));
  return ports.shard_router.answer(request, [&] {
    return answer_private(ports, request, ports.engine_applied, [&] {
      return page_of(ports, request, kTimelineCursor,
                     ports.reader.timeline(request.account(), {wanted.after, wanted.before},
                                           static_cast<std::size_t>(wanted.limit)));
    });
  });
}

Response handle_stream(const ApiPorts& ports, const Request& request) {
  return ports.shard_router.answer_here_alone(request, [&] {
    require_fresh(ports, request);
    auto stream = ports.streams.open(request.account(), request.header("Last-Event-ID"));
    ports.notification_streams.add(request.account(), stream);
    return Response::event_stream(std::move(stream));
  });
}

// Of ?author=.
core::AccountId read_author(const ApiPorts& ports, const Request& request) {
  const auto user_id = request.query("author");
  if (!user_id) http::refuse(http::malformed("author=<user_id> is missing"));
  if (!core::is_user_id(*user_id)) http::refuse(http::no_such_person());
  const core::AccountId author = ports.account_ids.of(*user_id);
  // Anyone who has registered once is never forgotten.
  if (ports.contents.find_person(author)) return author;
  const std::uint64_t names_as_of = ports.contents.name_changes();
  const auto known = find_registered(ports, request, {author});
  ports.contents.put_person(known.at(author), names_as_of);
  return author;
}

// Of ?month=YYYY-MM; all without it.
std::optional<std::chrono::year_month> read_month(const Request& request) {
  const auto text = request.query("month");
  if (!text) return std::optional<std::chrono::year_month>();
  const auto first = core::parse_day(std::string(*text) + "-01");
  const std::chrono::year_month_day day(first.value_or(core::Day()));
  // Beyond these years no moment has an id.
  const bool in_range =
      day.year() >= std::chrono::year(1970) && day.year() <= std::chrono::year(2100);
  if (text->size() != kMonthLength || !first || !in_range) {
    http::refuse(http::malformed("month is a month of UTC, YYYY-MM"));
  }
  return std::optional(day.year() / day.month());
}

// Across a block there is nobody.
void refuse_apart(const ApiPorts& ports, const core::AccountId& author,
                  const core::AccountId& viewer) {
  if (ports.reader.has_blocked(author, viewer) || ports.reader.has_blocked(viewer, author)) {
    http::refuse(http::no_such_person());
  }
}

Response handle_author_page(const ApiPorts& ports, const Request& request) {
  const auto wanted =
      http::value_of(http::read_page(request, kAuthorCursor, core::parse_moment_id));
  const auto month = read_month(request);
  const auto author = read_author(ports, request);
  return answer_private(ports, request, ports.engine_applied, [&] {
    refuse_apart(ports, author, request.account());
    return page_of(ports, request, kAuthorCursor,
                   ports.reader.moments_of(author, request.account(), {wanted.after, wanted.before},
                                           static_cast<std::size_t>(wanted.limit), month));
  });
}

Response handle_months(const ApiPorts& ports, const Request& request) {
  const auto author = read_author(ports, request);
  return answer_private(ports, request, ports.engine_applied, [&] {
    refuse_apart(ports, author, request.account());
    auto months = http::Json::array();
    for (const auto& month : ports.reader.months_of(author, request.account())) {
      months.push_back(core::format_day(month / 1).substr(0, kMonthLength));
    }
    return Response::json(200, {{"months", std::move(months)}});
  });
}

// What the author's page shows first, as far as the viewer may see it; null else, so that nobody
// can tell that there is one.
Response handle_pinned(const ApiPorts& ports, const Request& request) {
  const auto author = read_author(ports, request);
  return answer_private(ports, request, ports.tables_applied, [&] {
    refuse_apart(ports, author, request.account());
    const auto pinned = core::value_of(ports.database.read_each_alone(
        [&](sql::Transaction& transaction) { return find_pinned(transaction, author); }));
    const auto entry =
        pinned ? ports.reader.find_visible(*pinned, request.account()) : std::nullopt;
    std::string item;
    if (entry) append_moment_items(ports, request, {*entry}, item);
    return Response::text(200, "application/json",
                          R"({"moment":)" + (item.empty() ? "null" : item) + "}");
  });
}

Response handle_moment(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  return answer_private(ports, request, ports.engine_applied, [&] {
    const auto moment = ports.reader.find_visible(*id, request.account());
    if (!moment) return to_response(http::not_found());
    std::string item;
    const auto items = append_moment_items(ports, request, {*moment}, item);
    if (items == 0) return to_response(http::not_found());
    return Response::text(200, "application/json", std::move(item));
  });
}

Response get_audience(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  return answer_private(ports, request, ports.tables_applied, [&]() -> Response {
    const auto moment = ports.reader.find_visible(*id, request.account());
    if (!moment) return to_response(http::not_found());
    if (moment->author != request.account()) {
      return to_response(http::problem(403, "not-the-author", "Forbidden",
                                       "only its author is told for whom a moment is"));
    }
    return Response::json(200, audience_json(ports, request, *moment));
  });
}

}  // namespace

void add_moment_queries(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/timeline", Access::SignedIn,
             [ports](const Request& request) { return handle_timeline(ports, request); });
  router.add(Method::Get, "/v1/timeline/stream", Access::SignedIn,
             [ports](const Request& request) { return handle_stream(ports, request); });
  router.add(Method::Get, "/v1/moments", Access::SignedIn,
             [ports](const Request& request) { return handle_author_page(ports, request); });
  router.add(Method::Get, "/v1/moments/months", Access::SignedIn,
             [ports](const Request& request) { return handle_months(ports, request); });
  router.add(Method::Get, "/v1/moments/pinned", Access::SignedIn,
             [ports](const Request& request) { return handle_pinned(ports, request); });
  router.add(Method::Get, "/v1/moments/{id}", Access::SignedIn,
             [ports](const Request& request) { return handle_moment(ports, request); });
  router.add(Method::Get, "/v1/moments/{id}/audience", Access::SignedIn,
             [ports](const Request& request) { return get_audience(ports, request); });
}

}  // namespace tideline::feed
