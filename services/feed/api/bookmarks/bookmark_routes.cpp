// PUT and DELETE /v1/moments/{id}/bookmark, GET /v1/moments/bookmarks
//
// A bookmark gives no right to its moment: it is shown while its owner may see it, and again when
// he may again. Nobody else is told of bookmarks, nor how many there are of a moment.
#include <map>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/search/search_query.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/bookmark.hpp"
#include "feed/projections/bookmark_queries.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/cursor.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using eventsourcing::RejectionKind;
using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kBookmarks = "bookmarks";

Response handle_bookmark(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  require_fresh(ports, request);
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    if (!ports.reader.find_author(*id, me)) return kNoSuchMoment;
    const auto stream = keys::bookmark(me, *id);
    const auto changed = eventsourcing::change<Bookmark>(
        session, stream, EventCodec<Bookmark>{}, BookmarkMoment{me, *id, session.context().now});
    if (!changed.events.empty()) {
      eventsourcing::change_last<BookmarkCount>(
          session, keys::bookmark_count(me), EventCodec<BookmarkCount>{},
          BookmarkCount::Add{me,
                             kBookmarksMax,
                             {RejectionKind::Conflict, "bookmark-limit-reached",
                              "you have as many bookmarks as one may have"}});
    }
    return Answer{204, "", "", stream};
  });
}

// As with a like: removing one's own takes no look at the moment.
Response handle_remove_bookmark(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::bookmark(me, *id);
    const auto changed = eventsourcing::change<Bookmark>(session, stream, EventCodec<Bookmark>{},
                                                         RemoveBookmark{me, *id});
    if (changed.events.empty()) {
      if (!may_know_of(ports, *id, me)) return kNoSuchMoment;
    } else {
      eventsourcing::change_last<BookmarkCount>(session, keys::bookmark_count(me),
                                                EventCodec<BookmarkCount>{},
                                                BookmarkCount::Remove{me});
    }
    return Answer{204, "", "", stream};
  });
}

struct FoundBookmarks {
  std::vector<Json> items;
  std::vector<BookmarkRow> places;  // of each item
  std::optional<BookmarkRow> looked_to;
  bool all = false;
};

// Adds those whose moments the owner may see now.
void add_visible_bookmarks(const ApiPorts& ports, const Request& request,
                           const std::vector<BookmarkRow>& rows, FoundBookmarks& found) {
  std::vector<core::MomentId> ids;
  for (const BookmarkRow& row : rows) ids.push_back(row.moment);
  std::string text = "[";
  append_moment_items(ports, request, ports.reader.find_all_visible(ids, request.account()), text);
  std::map<std::string, Json> shown;
  for (Json& item : Json::parse(text + "]")) {
    const std::string id = item["id"];
    shown.emplace(id, std::move(item));
  }
  for (const BookmarkRow& row : rows) {
    const auto moment = shown.find(core::to_string(row.moment));
    if (moment == shown.end()) continue;
    found.items.push_back({{"bookmarked_at", core::format_iso8601(row.bookmarked_at)},
                           {"moment", std::move(moment->second)}});
    found.places.push_back(row);
  }
}

FoundBookmarks find_bookmarks(const ApiPorts& ports, const Request& request,
                              const std::optional<BookmarkRow>& behind, std::size_t limit) {
  FoundBookmarks found;
  found.looked_to = behind;
  for (std::size_t looked = 0; looked < kCandidatesMax && found.items.size() <= limit;) {
    const auto rows = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return list_bookmarks(transaction, request.account(), found.looked_to, limit + 1);
    }));
    add_visible_bookmarks(ports, request, rows, found);
    found.all = rows.size() <= limit;
    if (found.all) break;
    found.looked_to = rows.back();
    looked += rows.size();
  }
  return found;
}

Response handle_bookmarks(const ApiPorts& ports, const Request& request) {
  const auto wanted = http::value_of(http::read_page(request, kBookmarks, parse_bookmark_place));
  refuse_before(wanted);
  const auto limit = static_cast<std::size_t>(wanted.limit);
  return answer_private(ports, request, ports.tables_applied, [&] {
    auto found = find_bookmarks(ports, request, wanted.after, limit);
    http::Page page;
    if (found.items.size() > limit) {
      found.items.resize(limit);
      page.after = to_string(found.places[limit - 1]);
    } else if (!found.all) {
      page.after = to_string(*found.looked_to);
    }
    page.items = std::move(found.items);
    return http::page_response(kBookmarks, std::move(page));
  });
}

}  // namespace

void add_bookmark_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Put, "/v1/moments/{id}/bookmark", Access::SignedIn, with(handle_bookmark));
  router.add(Method::Delete, "/v1/moments/{id}/bookmark", Access::SignedIn,
             with(handle_remove_bookmark));
  router.add(Method::Get, "/v1/moments/bookmarks", Access::SignedIn, with(handle_bookmarks));
}

}  // namespace tideline::feed
