#include <charconv>
#include <utility>
#include <vector>

#include "core/keys.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/codecs.hpp"
#include "projects/api/routes.hpp"
#include "projects/projections/project_queries.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change_last;
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
constexpr std::int64_t kCommentIdMax = 1'000'000'000'000;
constexpr std::string_view kKind = "comments";

Json comment_json(std::int64_t id, std::int64_t parent_id, Json author,
                  const std::optional<std::string>& text, core::Timestamp written_at) {
  return {{"id", id},
          {"parent_id", parent_id},
          {"author", std::move(author)},
          {"text", text ? Json(*text) : Json(nullptr)},
          {"written_at", core::format_iso8601(written_at)}};
}

// What the writer had seen is kept with the comment, so that a reader of the event can hold it back
// until he has seen as much.
Parsed<std::string> seen_by_writer(const Request& request) {
  const auto position = http::read_position(request);
  if (!position) return position.problem();
  return position->empty() ? std::string() : position->to_token();
}

Response add_comment(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  if (!id) return id.response();
  const auto body = http::read_json_object(request);
  if (!body) return body.response();
  http::FieldReader fields(*body);
  const std::string text = fields.text("text", kTextLength);
  const std::int64_t parent = fields.optional_integer("parent_id", 0, kCommentIdMax).value_or(0);
  if (const auto problem = fields.problem()) return to_response(*problem);
  const auto seen = seen_by_writer(request);
  if (!seen) return seen.response();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of(ports, session, *id);
    if (!author) return author.stopped();
    const auto comments =
        change_last<Comments>(session, core::keys::comments(*id), CommentsCodec(ports.cipher),
                              AddComment{*id, *author, parent, request.account(), text, *seen});
    if (!comments) return comments.stopped();
    const std::int64_t comment = comments->state.last_id;
    return Answer{201,
                  comment_json(comment, parent, person_json(ports, request.account()), text,
                               session.context().now)
                      .dump(),
                  "/v1/projects/" + *id + "/comments", core::StreamId()};
  });
}

struct NamedComments {
  eventsourcing::Slice<CommentRow> page;
  std::map<core::AccountId, people::Person> people;
};

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

NamedComments read_comments(const ApiPorts& ports, Transaction& transaction,
                            const std::string& project,
                            const http::PageRequest<std::int64_t>& page) {
  NamedComments named{list_comments(transaction, project, page.before, page.after, page.limit), {}};
  std::vector<core::AccountId> authors;
  for (const CommentRow& row : named.page.items) authors.push_back(row.author);
  named.people = ports.people.find_many(transaction, authors);
  return named;
}

Response answer_comments(const ApiPorts& ports, const NamedComments& named) {
  std::vector<crypto::SealedText> sealed;
  for (const CommentRow& row : named.page.items) {
    sealed.push_back({row.author, row.sealed_text, kCommentContext});
  }
  const auto texts = ports.cipher.open_many(sealed);
  if (!texts) return to_response(http::from_error(texts.error()));
  http::Page page;
  for (std::size_t i = 0; i < named.page.items.size(); ++i) {
    const CommentRow& row = named.page.items[i];
    page.items.push_back(comment_json(row.id, row.parent_id, person_json(named.people, row.author),
                                      (*texts)[i], row.written_at));
  }
  if (named.page.more_before) page.before = std::to_string(named.page.items.front().id);
  if (named.page.more_after) page.after = std::to_string(named.page.items.back().id);
  return http::page_response(kKind, std::move(page));
}

Response get_comments(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  if (!id) return id.response();
  const auto page = http::read_page(request, kKind, parse_number);
  if (!page) return page.response();
  return answer_from_tables<NamedComments>(
      ports, request,
      [&](Transaction& transaction) -> Parsed<NamedComments> {
        if (!find_project(transaction, *id)) return no_such_project();
        return read_comments(ports, transaction, *id, *page);
      },
      [&](const NamedComments& named) { return answer_comments(ports, named); });
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
