#include <charconv>
#include <utility>

#include "eventsourcing/events/event_codec.hpp"
#include "projects/api/authored_pages.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/rejections.hpp"
#include "projects/domain/removal.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change;
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

// Of a removed one the place is shown, not who wrote what there.
Json comment_json(const CommentRow& row, Json author, const std::optional<std::string>& text) {
  return {{"id", row.id},
          {"parent_id", row.parent_id},
          {"author", row.removed ? people::person_json(people::Person{}) : std::move(author)},
          {"text", text && !row.removed ? Json(*text) : Json(nullptr)},
          {"removed", row.removed},
          {"written_at", core::format_iso8601(row.written_at)}};
}

// Whether the comment is removed; the command then depends on it.
bool is_removed(CommandSession& session, const std::string& project, std::int64_t comment) {
  const auto removal =
      session.load<Removal>(keys::removal(project, comment), eventsourcing::EventCodec<Removal>{});
  session.assert_unchanged(removal);
  return removal.state.removed;
}

Response add_comment(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string text = fields.text("text", kTextLength);
  const std::int64_t parent = fields.optional_integer("parent_id", 0, kCommentIdMax).value_or(0);
  fields.check();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of_shown(ports, session, id, request.account());
    const bool parent_removed = parent > 0 && is_removed(session, id, parent);
    // What the writer had seen is kept with the comment, so that a reader of the event can hold it
    // back until he has seen as much.
    const auto comments = change_last<Comments>(
        session, keys::comments(id), eventsourcing::EventCodec<Comments>(ports.cipher),
        AddComment{id, author, parent, parent_removed, request.account(), text});
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

// Comments are numbered by the versions of their stream, in which there is nothing else, and never
// change: so one event says who wrote a comment, whatever happens meanwhile.
RemoveComment find_comment(const ApiPorts& ports, CommandSession& session, const std::string& id,
                           std::int64_t number, const core::AccountId& by) {
  const auto behind = core::StreamVersion(static_cast<std::uint64_t>(number - 1));
  const auto found = core::value_of(session.store().read_stream(keys::comments(id), behind, 1));
  if (found.empty()) throw eventsourcing::Rejected(kNoSuchComment);
  const eventsourcing::EventCodec<Comments> codec(ports.cipher);
  auto comment = codec.decode_to_decide(found.front());
  if (!comment) throw core::Failed(core::unavailable("a comment by a newer program"));
  return {std::get<CommentAdded>(*std::move(comment)), found.front().time, by};
}

Response remove_comment(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto number = parse_number(request.param("comment_id"));
  if (!number || *number < 1 || *number > kCommentIdMax) {
    http::refuse(http::problem(404, kNoSuchComment.code, "Not Found", kNoSuchComment.detail));
  }
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const core::AccountId& caller = request.account();
    author_beyond_block(ports, session, id, caller);
    const auto command = find_comment(ports, session, id, *number, caller);
    hide_from_strangers(ports, session, id, caller, [&] {
      change<Removal>(session, keys::removal(id, *number), eventsourcing::EventCodec<Removal>{},
                      command);
    });
    return Answer{204, "", "", core::StreamId()};
  });
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
  router.add(Method::Delete, "/v1/projects/{project_id}/comments/{comment_id}", Access::SignedIn,
             with(remove_comment));
}

}  // namespace tideline::projects
