#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/json.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/rejections.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"
#include "uploads/document_type.hpp"
#include "uploads/upload_http.hpp"

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
using sql::Transaction;

constexpr std::size_t kTitleMax = 200;  // code points
constexpr std::size_t kDocumentBytesMax = 1024 * 1024;

http::Problem no_such_document() {
  return http::problem(404, kNoSuchDocument.code, "Not Found", kNoSuchDocument.detail);
}

std::string path_of(const std::string& project, const std::string& document) {
  return "/v1/projects/" + project + "/documents/" + document;
}

Json document_json(const std::string& project, const DocumentRow& row,
                   const std::optional<std::string>& title) {
  return {{"id", row.id},
          {"title", title ? Json(*title) : Json(nullptr)},
          {"media_type", row.file.media_type},
          {"bytes", row.file.size_bytes},
          {"added_at", core::format_iso8601(row.added_at)},
          {"location", path_of(project, row.id) + "/content"}};
}

struct SentDocument {
  std::string title;
  uploads::Content content;
};

// The body is the document, so its title comes in the query.
SentDocument read_document(const Request& request) {
  const auto title = http::normalise_nfc(request.query("title").value_or(""));
  const std::size_t length = title ? http::count_code_points(*title) : 0;
  if (length == 0 || length > kTitleMax) {
    http::refuse(http::unprocessable("title-length", "title=... has 1 to 200 characters"));
  }
  if (request.body.size() > kDocumentBytesMax) {
    http::refuse(http::problem(413, "content-too-large", "The document is too large",
                               "it has at most " + std::to_string(kDocumentBytesMax) + " bytes"));
  }
  auto type = uploads::document_type_of(request.body);
  if (!type) {
    http::refuse(http::unsupported_media_type(
        "the body is to be a PDF, an office document without macros, plain text or an image"));
  }
  auto bytes = uploads::document_content(request.body, *type);
  return SentDocument{*title, {*std::move(type), std::move(bytes)}};
}

// The bytes are stored once it is decided that the document may be added, and before the event that
// names them: storing them again changes nothing.
Response add_document(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto sent = read_document(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of(ports, session, id, request.account());
    DocumentRow row;
    row.added_at = session.context().now;
    row.id = core::make_time_ordered_id(row.added_at, ports.random);
    row.file = {sent.content.media_type, static_cast<std::int64_t>(sent.content.bytes.size()),
                uploads::hash_of(sent.content.bytes)};
    const auto documents = change<Documents>(
        session, keys::documents(id), eventsourcing::EventCodec<Documents>(ports.cipher),
        AddDocument{id, author, request.account(), row.id, sent.title, row.file});
    const auto stored = core::value_of(ports.uploads.put(request.account(), sent.content));
    if (!stored) return uploads::kSpaceUsedUp;
    return Answer{201, document_json(id, row, sent.title).dump(), path_of(id, row.id) + "/content",
                  core::StreamId()};
  });
}

// The document that a path names, below its project; 404 for what none can be called.
std::string document_in_path(const Request& request) {
  const std::string_view id = request.param("document_id");
  if (!core::is_time_ordered_id(id)) http::refuse(no_such_document());
  return std::string(id);
}

Response remove_document(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto document = document_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = author_of(ports, session, id, request.account());
    const auto documents = change<Documents>(
        session, keys::documents(id), eventsourcing::EventCodec<Documents>(ports.cipher),
        RemoveDocument{id, author, request.account(), document});
    return Answer{204, "", "", core::StreamId()};
  });
}

Response answer_documents(const ApiPorts& ports, const std::string& project,
                          const std::vector<DocumentRow>& rows) {
  std::vector<crypto::SealedText> sealed;
  for (const DocumentRow& row : rows) {
    sealed.push_back(
        {row.author, row.sealed_title, eventsourcing::Stored<DocumentAdded>::kTitleContext});
  }
  const auto titles = core::value_of(ports.cipher.open_many(sealed));
  http::Page page;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    page.items.push_back(document_json(project, rows[i], titles[i]));
  }
  return http::page_response("documents", std::move(page));
}

Response get_documents(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  using Rows = std::vector<DocumentRow>;
  return answer_from_tables<Rows>(
      ports, request,
      [&](Transaction& transaction) -> Rows {
        visible_project(transaction, id, request.account());
        return list_documents(transaction, id);
      },
      [&](const Rows& rows) { return answer_documents(ports, id, rows); });
}

Response get_content(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto document = document_in_path(request);
  return answer_from_tables<DocumentRow>(
      ports, request,
      [&](Transaction& transaction) -> DocumentRow {
        visible_project(transaction, id, request.account());
        auto row = find_document(transaction, id, document);
        if (!row) http::refuse(no_such_document());
        return *std::move(row);
      },
      [&](const DocumentRow& row) {
        // To be kept, not to be opened by a browser as a page of this origin.
        return uploads::answer_content(ports.uploads, row.author, row.file.hash,
                                       uploads::Caching::Immutable, no_such_document())
            .header("Content-Disposition", "attachment");
      });
}

}  // namespace

void add_document_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  const std::string all = "/v1/projects/{project_id}/documents";
  const std::string one = all + "/{document_id}";
  router.add(Method::Post, all, Access::SignedIn, with(add_document));
  router.add(Method::Get, all, Access::SignedIn, with(get_documents));
  router.add(Method::Delete, one, Access::SignedIn, with(remove_document));
  router.add(Method::Get, one + "/content", Access::SignedIn, with(get_content));
}

}  // namespace tideline::projects
