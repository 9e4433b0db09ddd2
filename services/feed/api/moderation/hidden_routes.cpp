// GET /v1/moment-cases/hidden: what is hidden now, for moderators, who restore it by a decision.
//
// Who has written it is not told as a moderator what they are told as its author.
#include "feed/api/moderation/case_items.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/projections/moderation_queries.hpp"
#include "feed/stored_events.hpp"
#include "http/messages/cursor.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kHiddenCursor = "hidden-moments";

struct Hidden {
  sql::Slice<HidingRow> page;
  PeopleByAccount people;
};

Hidden read_hidden(const ApiPorts& ports, const Request& request,
                   const sql::Window<std::string>& window) {
  return core::value_of(ports.database.read([&](sql::Transaction& transaction) {
    Hidden hidden{list_hidings(transaction, request.account(), window), {}};
    std::vector<core::AccountId> authors;
    for (const HidingRow& row : hidden.page.items) authors.push_back(row.author);
    hidden.people = ports.people.find_many(transaction, authors);
    return hidden;
  }));
}

Json hidden_items(const ApiPorts& ports, const Hidden& hidden) {
  std::vector<std::pair<Subject, core::AccountId>> subjects;
  std::vector<crypto::SealedText> sealed;
  for (const HidingRow& row : hidden.page.items) {
    subjects.emplace_back(row.subject, row.author);
    sealed.push_back(
        {row.author, row.sealed_reason, eventsourcing::Stored<CaseRuled>::kReasonContext});
  }
  const auto texts = open_subjects(ports, subjects);
  const auto reasons = core::value_of(ports.cipher.open_many(sealed));
  Json items = Json::array();
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const HidingRow& row = hidden.page.items[i];
    Json item = subject_json(row.subject);
    item["author"] = person_json(hidden.people, row.author);
    item["text"] = text_or_null(texts[i]);
    item["reason"] = text_or_null(reasons[i]);
    item["hidden_at"] = core::format_iso8601(row.hidden_at);
    items.push_back(std::move(item));
  }
  return items;
}

Response handle_hidden(const ApiPorts& ports, const Request& request) {
  const auto wanted = http::value_of(http::read_page(request, kHiddenCursor, parse_decision_place));
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        const auto hidden =
            read_hidden(ports, request, {wanted.before, wanted.after, wanted.limit});
        http::Page page;
        page.items = hidden_items(ports, hidden);
        const auto& rows = hidden.page;
        if (rows.more_before) page.before = sql::place_text(rows.items.front().place());
        if (rows.more_after) page.after = sql::place_text(rows.items.back().place());
        return http::page_response(kHiddenCursor, std::move(page));
      });
}

}  // namespace

void add_hidden_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/moment-cases/hidden", http::Access::Moderator,
             [ports](const Request& request) { return handle_hidden(ports, request); });
}

}  // namespace tideline::feed
