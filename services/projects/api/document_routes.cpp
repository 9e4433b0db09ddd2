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
constexpr std::size_t kDocumentBytesMax = 20 * 1024 * 1024;
// Up to here a document is stored and read as one value, beyond in pieces.
constexpr std::int64_t kWholeBytesMax = 1024 * 1024;

http::Problem no_such_document() {
  return http::problem(404, kNoSuchDocument.code, "Not Found", kNoSuchDocument.detail);
}

std::string path_of(const std::string& project, const std::string& document) {
  return "/v1/projects/" + project + "/documents/" + document;
}

Json document_json(const ApiPorts& ports, const std::string& project, const DocumentRow& row,
                   const std::optional<std::string>& title, const core::AccountId& reader) {
  const std::string content = path_of(project, row.id) + "/content";
  return {{"id", row.id},
          {"title", title ? Json(*title) : Json(nullptr)},
          {"media_type", row.file.media_type},
          {"bytes", row.file.size_bytes},
          {"added_at", core::format_iso8601(row.added_at)},
          {"location", content},
          {"link", ports.links.to(content, reader)}};
}

// Its bytes are the request's own, or what is left of an image without its metadata.
class SentDocument {
 public:
  SentDocument(std::string_view body, std::string title, std::string media_type)
      : title_(std::move(title)), body_(body) {
    file_.media_type = std::move(media_type);
    if (file_.media_type.starts_with("image/")) {
      image_ = uploads::document_content(body, file_.media_type);
    }
    file_.size_bytes = static_cast<std::int64_t>(bytes().size());
    file_.hash = uploads::hash_of(bytes());
  }

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const StoredFile& file() const { return file_; }
  [[nodiscard]] std::string_view bytes() const { return image_ ? *image_ : body_; }

 private:
  std::string title_;
  std::string_view body_;
  std::optional<std::string> image_;
  StoredFile file_;
};

// The body is the document, so its title comes in the query. What comes back refers to the body.
SentDocument read_document(const Request& request) {
  auto title = http::normalise_nfc(request.query("title").value_or(""));
  const std::size_t length = title ? http::count_code_points(*title) : 0;
  if (length == 0 || length > kTitleMax) {
    http::refuse(http::unprocessable("title-length", "title=... has 1 to 200 characters"));
  }
  if (request.body.size() > kDocumentBytesMax) {
    http::refuse(http::content_too_large(kDocumentBytesMax));
  }
  auto type = uploads::document_type_of(request.body);
  if (!type) {
    http::refuse(http::unsupported_media_type(
        "the body is to be a PDF, an office document without macros, plain text or an image"));
  }
  return {request.body, *std::move(title), *std::move(type)};
}

bool is_in_pieces(const StoredFile& file) { return file.size_bytes > kWholeBytesMax; }

// False: the owner's space is used up.
bool store(const ApiPorts& ports, const core::AccountId& owner, const SentDocument& sent) {
  const StoredFile& file = sent.file();
  if (is_in_pieces(file)) {
    return core::value_of(ports.large_uploads.put(owner, file.hash, file.media_type, sent.bytes()));
  }
  return core::value_of(ports.uploads.put(owner, {file.media_type, std::string(sent.bytes())}));
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
    row.file = sent.file();
    const auto documents = change<Documents>(
        session, keys::documents(id), eventsourcing::EventCodec<Documents>(ports.cipher),
        AddDocument{id, author, request.account(), row.id, sent.title(), row.file});
    if (!store(ports, request.account(), sent)) return uploads::kSpaceUsedUp;
    return Answer{201, document_json(ports, id, row, sent.title(), request.account()).dump(),
                  path_of(id, row.id) + "/content", core::StreamId()};
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
                          const core::AccountId& reader, const std::vector<DocumentRow>& rows) {
  std::vector<crypto::SealedText> sealed;
  for (const DocumentRow& row : rows) {
    sealed.push_back(
        {row.author, row.sealed_title, eventsourcing::Stored<DocumentAdded>::kTitleContext});
  }
  const auto titles = core::value_of(ports.cipher.open_many(sealed));
  http::Page page;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    page.items.push_back(document_json(ports, project, rows[i], titles[i], reader));
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
      [&](const Rows& rows) { return answer_documents(ports, id, request.account(), rows); });
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
        auto response =
            is_in_pieces(row.file)
                ? uploads::answer_large_content(ports.large_uploads, row.author, row.file.hash,
                                                uploads::Caching::Immutable, no_such_document())
                : uploads::answer_content(ports.uploads, row.author, row.file.hash,
                                          uploads::Caching::Immutable, no_such_document());
        // To be kept, not to be opened by a browser as a page of this origin.
        response.header("Content-Disposition", "attachment");
        if (response.status == 200) response.header("Accept-Ranges", "bytes");
        return response;
      });
}

}  // namespace

void add_document_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  const std::string all = "/v1/projects/{project_id}/documents";
  const std::string one = all + "/{document_id}";
  router.add(Method::Post, all, Access::SignedIn, with(add_document),
             {.body_bytes_max = kDocumentBytesMax});
  router.add(Method::Get, all, Access::SignedIn, with(get_documents));
  router.add(Method::Delete, one, Access::SignedIn, with(remove_document));
  router.add(Method::Get, one + "/content", Access::SignedInOrLink, with(get_content));
}

}  // namespace tideline::projects
