#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "http/routing/data_export.hpp"
#include "scoring/api/ledger_json.hpp"
#include "scoring/api/named_person.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/score_json.hpp"
#include "scoring/projections/ledger_queries.hpp"
#include "scoring/projections/rating_queries.hpp"

namespace tideline::scoring {
namespace {

using http::ExportSlice;
using http::Json;

ExportSlice export_points(const ApiPorts& ports, const core::AccountId& owner) {
  return {{total_json(ports, ports.scores.total(owner))}};
}

ExportSlice export_ledger(const ApiPorts& ports, const core::AccountId& owner,
                          const std::string& place, int limit) {
  sql::Window<std::string> window;
  window.limit = limit;
  if (!place.empty()) {
    window.after = parse_ledger_place(place);
    if (!window.after) http::refuse_export_place();
  }
  const auto slice = core::value_of(ports.database.read(
      [&](sql::Transaction& transaction) { return list_ledger(transaction, owner, window); }));
  ExportSlice exported{ledger_json(ports, owner, slice.items)};
  if (slice.more_after) {
    exported.next = sql::place_text(LedgerPlace{slice.items.back().time, slice.items.back().event});
  }
  return exported;
}

// A person is named as everywhere; by nothing once that account is closed.
std::vector<Json> ratings_json(const ApiPorts& ports, const std::vector<GivenRating>& given) {
  std::vector<core::AccountId> accounts;
  for (const GivenRating& rating : given) {
    if (const auto account = core::AccountId::parse(rating.subject_id))
      accounts.push_back(*account);
  }
  const auto people = NamedPeople::find(ports, accounts);
  std::vector<Json> shown;
  for (const GivenRating& rating : given) {
    const bool of_person = rating.kind == name_of(RatingKind::Person);
    const auto account = of_person ? core::AccountId::parse(rating.subject_id) : std::nullopt;
    shown.push_back({{"user", account ? people.json(*account) : Json(nullptr)},
                     {"project_id", of_person ? Json(nullptr) : Json(rating.subject_id)},
                     {"stars", rating.stars}});
  }
  return shown;
}

// The place is "<kind>/<subject>", which selects among the caller's own alone.
ExportSlice export_ratings(const ApiPorts& ports, const core::AccountId& owner,
                           const std::string& place, int limit) {
  const auto slash = place.find('/');
  const GivenRating after{place.substr(0, slash),
                          slash == std::string::npos ? "" : place.substr(slash + 1)};
  const auto given = core::value_of(ports.database.read(
      [&](sql::Transaction& transaction) { return list_given(transaction, owner, after, limit); }));
  ExportSlice exported{ratings_json(ports, given)};
  if (given.size() == static_cast<std::size_t>(limit)) {
    exported.next = given.back().kind + "/" + given.back().subject_id;
  }
  return exported;
}

}  // namespace

void add_export_routes(http::Router& router, const ApiPorts& ports) {
  using Owner = core::AccountId;
  using Text = std::string;
  const auto exported = std::make_shared<http::DataExport>(
      ports.clock,
      std::vector<http::ExportSection>{
          {"points",
           [ports](const Owner& owner, const Text&, int) { return export_points(ports, owner); }},
          {"ledger", [ports](const Owner& owner, const Text& place,
                             int limit) { return export_ledger(ports, owner, place, limit); }},
          {"ratings", [ports](const Owner& owner, const Text& place, int limit) {
             return export_ratings(ports, owner, place, limit);
           }}});
  router.add(http::Method::Get, "/v1/scoring-export", http::Access::SignedIn,
             [ports, exported](const http::Request& request) {
               return http::answer_query(
                   request, {ports.scores_in_memory, ports.scores_committed, ports.ratings_applied},
                   http::WhenBehind::Stale, [&] { return exported->page(request); });
             });
}

}  // namespace tideline::scoring
