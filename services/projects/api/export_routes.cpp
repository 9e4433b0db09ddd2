// GET /v1/projects-export: what the caller has written and chosen here, section by section. What
// others have written below the caller's projects is theirs and not in it.

#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/routing/data_export.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/project_items.hpp"
#include "projects/api/routes.hpp"
#include "projects/projections/written_queries.hpp"
#include "projects/stored_events.hpp"

namespace tideline::projects {
namespace {

using core::AccountId;
using eventsourcing::Stored;
using http::ExportSlice;
using http::Json;
using sql::Transaction;

// "<project>/<id>", which selects among the caller's own alone.
template <class Id>
PlaceBelow<Id> parse_place_below(const std::string& text) {
  if (text.empty()) return {};
  const auto slash = text.find('/');
  if (slash == std::string::npos) http::refuse_export_place();
  PlaceBelow<Id> place{.project = text.substr(0, slash)};
  const std::string id = text.substr(slash + 1);
  if constexpr (std::is_same_v<Id, std::int64_t>) {
    const char* end = id.data() + id.size();
    const auto [stop, error] = std::from_chars(id.data(), end, place.id);
    if (error != std::errc() || stop != end) http::refuse_export_place();
  } else {
    place.id = id;
  }
  return place;
}

Json comment_export(const BelowProject<CommentRow>& comment, Json text) {
  return {{"project_id", comment.project},
          {"id", comment.row.id},
          {"parent_id", comment.row.parent_id},
          {"text", std::move(text)},
          {"written_at", core::format_iso8601(comment.row.written_at)}};
}

Json advice_export(const BelowProject<AdviceRow>& advice, Json text) {
  const auto& adopted = advice.row.adopted_at;
  return {{"project_id", advice.project},
          {"id", advice.row.id},
          {"text", std::move(text)},
          {"given_at", core::format_iso8601(advice.row.given_at)},
          {"adopted_at", adopted ? Json(core::format_iso8601(*adopted)) : Json(nullptr)}};
}

Json document_export(const BelowProject<DocumentRow>& document, Json title) {
  const auto& row = document.row;
  return {{"project_id", document.project},
          {"id", row.id},
          {"title", std::move(title)},
          {"media_type", row.file.media_type},
          {"bytes", row.file.size_bytes},
          {"added_at", core::format_iso8601(row.added_at)},
          {"location", "/v1/projects/" + document.project + "/documents/" + row.id + "/content"}};
}

// A list of what was written below projects, each with one text under the caller's key.
template <class Row, class Id>
struct WrittenList {
  std::string_view context;
  std::string Row::*sealed;
  std::vector<BelowProject<Row>> (*list)(Transaction&, const AccountId&, const PlaceBelow<Id>&,
                                         int);
  Json (*show)(const BelowProject<Row>&, Json text);
};

constexpr WrittenList<CommentRow, std::int64_t> kCommentsWritten{
    Stored<CommentAdded>::kTextContext, &CommentRow::sealed_text, list_comments_by, comment_export};
constexpr WrittenList<AdviceRow, std::string> kAdviceGiven{
    Stored<AdviceGiven>::kTextContext, &AdviceRow::sealed_text, list_advice_by, advice_export};
constexpr WrittenList<DocumentRow, std::string> kDocumentsAdded{
    Stored<DocumentAdded>::kTitleContext, &DocumentRow::sealed_title, list_documents_by,
    document_export};

template <class Row, class Id>
http::ReadExport read_written(const ApiPorts& ports, const WrittenList<Row, Id>& written) {
  return [ports, written](const AccountId& owner, const std::string& place,
                          int limit) -> ExportSlice {
    const auto after = parse_place_below<Id>(place);
    const auto rows = core::value_of(ports.database.read(
        [&](Transaction& transaction) { return written.list(transaction, owner, after, limit); }));
    std::vector<crypto::SealedText> sealed;
    for (const auto& found : rows) {
      sealed.push_back({owner, found.row.*written.sealed, written.context});
    }
    const auto texts = core::value_of(ports.cipher.open_many(sealed));
    ExportSlice exported;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      exported.items.push_back(written.show(rows[i], texts[i] ? Json(*texts[i]) : Json(nullptr)));
    }
    if (std::ssize(rows) == limit) {
      const Json id = rows.back().row.id;
      exported.next =
          rows.back().project + "/" + (id.is_string() ? id.get<std::string>() : id.dump());
    }
    return exported;
  };
}

ExportSlice read_projects(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                          int limit) {
  sql::Window<std::string> window{.before = {}, .after = {}, .limit = limit};
  if (!place.empty() && !(window.after = sql::parse_id_place(place))) http::refuse_export_place();
  const auto [slice, people] = core::value_of(ports.database.read([&](Transaction& transaction) {
    auto found = list_by_author(transaction, owner, owner, window);
    auto authors = authors_of(ports, transaction, found.items);
    return std::pair{std::move(found), std::move(authors)};
  }));
  const Json shown =
      projects_json(ports, {slice.items, people}, open_projects(ports, slice.items), owner);
  ExportSlice exported;
  for (const Json& project : shown) exported.items.push_back(project);
  if (slice.more_after) exported.next = place_of(slice.items.back());
  return exported;
}

ExportSlice read_votes(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                       int limit) {
  const auto projects = core::value_of(ports.database.read(
      [&](Transaction& transaction) { return list_votes_by(transaction, owner, place, limit); }));
  ExportSlice exported;
  for (const auto& project : projects) exported.items.push_back({{"project_id", project}});
  if (std::ssize(projects) == limit) exported.next = projects.back();
  return exported;
}

}  // namespace

void add_export_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](ExportSlice (*read)(const ApiPorts&, const AccountId&, const std::string&,
                                            int)) -> http::ReadExport {
    return [ports, read](const AccountId& owner, const std::string& place, int limit) {
      return read(ports, owner, place, limit);
    };
  };
  const auto exported = std::make_shared<http::DataExport>(
      ports.clock,
      std::vector<http::ExportSection>{{"projects", with(read_projects)},
                                       {"documents", read_written(ports, kDocumentsAdded)},
                                       {"comments", read_written(ports, kCommentsWritten)},
                                       {"advice", read_written(ports, kAdviceGiven)},
                                       {"votes", with(read_votes)}});
  router.add(http::Method::Get, "/v1/projects-export", http::Access::SignedIn,
             [ports, exported](const http::Request& request) {
               return http::answer_query(request, {ports.people_applied, ports.projects_applied},
                                         http::WhenBehind::Stale,
                                         [&] { return exported->page(request); });
             });
}

}  // namespace tideline::projects
