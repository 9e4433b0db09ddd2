#include <charconv>
#include <utility>

#include "eventsourcing/events/event_codec.hpp"
#include "projects/api/authored_pages.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/comments.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change_last;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;

constexpr http::Length kTextLength{1, 2000};
constexpr std::int64_t kCommentIdMax = 1'000'000'000'000;

Json comment_json(const CommentRow& row, Json author, const std::optional<std::string>& text) {
  return {{"id", row.id},
          {"parent_id", row.parent_id},
          {"author", std::move(author)},
          {"text", text ? Json(*text) : Json(nullptr)},
          {"written_at", core::format_iso8601(row.written_at)}};
}

Response add_comment(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string text = fields.text("text", kTextLength);
  const std::int64_t parent = fields.optional_integer("parent_id", 0, kCommentIdMax).value_or(0);
  fields.check();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of(ports, session, id, request.account());
    // What the writer had seen is kept with the comment, so that a reader of the event can hold it
    // back until he has seen as much.
    const auto comments = change_last<Comments>(
        session, keys::comments(id), eventsourcing::EventCodec<Comments>(ports.cipher),
        AddComment{id, author, parent, request.account(), text});
    const CommentRow row{comments.state.last_id, parent, request.account(), "",
                         session.context().now};
    return Answer{201, comment_json(row, person_json(ports, request.account()), text).dump(),
                  "/v1/projects/" + id + "/comments", core::StreamId()};
  });
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

constexpr AuthoredList<CommentRow, std::int64_t> kComments{
    .kind = "comments",
    .context = eventsourcing::Stored<CommentAdded>::kTextContext,
    .author = &CommentRow::author,
    .select = list_comments,
    .place_of = [](const CommentRow& row) { return std::to_string(row.id); },
    .parse_place = parse_number,
    .show = comment_json,
};

Response get_comments(const ApiPorts& ports, const Request& request) {
  return answer_authored_page(ports, request, kComments);
}

}  // namespace

void add_comment_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/projects/{project_id}/comments", Access::SignedIn,
             with(add_comment));
  router.add(Method::Get, "/v1/projects/{project_id}/comments", Access::SignedIn,
             with(get_comments));
}

}  // namespace tideline::projects
