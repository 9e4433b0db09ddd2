// Pages of what people write under a project: every row bears who wrote it, whose name is shown,
// and a text sealed under their key. What such lists differ in is a AuthoredList.
//
// Thread-safe; blocks on the position token, the database and the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projects/api/answers.hpp"
#include "projects/projections/project_queries.hpp"

namespace tideline::projects {

// Row has a sealed_text; Place is what its list is ordered by.
template <class Row, class Place>
struct AuthoredList {
  std::string_view kind;     // of its cursors
  std::string_view context;  // that its texts are sealed with
  core::AccountId Row::*author;
  // A page of a project's, from behind `after` or ahead of `before`.
  sql::Slice<Row> (*select)(sql::Transaction&, const std::string& project,
                            const core::AccountId& viewer, const std::optional<Place>& before,
                            const std::optional<Place>& after, int limit);
  std::string (*place_of)(const Row&);
  std::optional<Place> (*parse_place)(std::string_view);
  // No text: its author has been erased.
  http::Json (*show)(const Row&, http::Json author, const std::optional<std::string>& text);
};

template <class Row>
struct SignedRows {
  sql::Slice<Row> page;
  std::map<core::AccountId, people::Person> people;
};

template <class Row, class Place>
http::Response show_authored(const ApiPorts& ports, const AuthoredList<Row, Place>& list,
                             const SignedRows<Row>& found) {
  const std::vector<Row>& rows = found.page.items;
  std::vector<crypto::SealedText> sealed;
  for (const Row& row : rows) sealed.push_back({row.*list.author, row.sealed_text, list.context});
  const auto texts = core::value_of(ports.cipher.open_many(sealed));
  http::Page page;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    page.items.push_back(
        list.show(rows[i], person_json(found.people, rows[i].*list.author), texts[i]));
  }
  if (found.page.more_before) page.before = list.place_of(rows.front());
  if (found.page.more_after) page.after = list.place_of(rows.back());
  return http::page_response(list.kind, std::move(page));
}

// Of the project that the path names.
template <class Row, class Place>
http::Response answer_authored_page(const ApiPorts& ports, const http::Request& request,
                                    const AuthoredList<Row, Place>& list) {
  const auto id = project_in_path(request);
  const auto page = http::value_of(http::read_page(request, list.kind, list.parse_place));
  using Found = SignedRows<Row>;
  return answer_from_tables<Found>(
      ports, request,
      [&](sql::Transaction& transaction) -> Found {
        const core::AccountId& viewer = request.account();
        visible_project(transaction, id, viewer);
        Found found{list.select(transaction, id, viewer, page.before, page.after, page.limit), {}};
        std::vector<core::AccountId> authors;
        for (const Row& row : found.page.items) authors.push_back(row.*list.author);
        found.people = ports.people.find_many(transaction, authors);
        return found;
      },
      [&](const Found& found) { return show_authored(ports, list, found); });
}

}  // namespace tideline::projects
