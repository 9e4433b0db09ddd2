// Answers that are lists: read the cursors, wait for the token, read one snapshot, name the people.
//
// Thread-safe; everything here blocks on the position token and the database.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "http/messages/cursor.hpp"
#include "http/messages/json.hpp"
#include "social-graph/api/named_person.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

// The page that the request asks for; 400 for a cursor that this list did not give out.
sql::Window<core::AccountId> read_account_window(const http::Request& request,
                                                 std::string_view kind);
sql::Window<std::string> read_id_window(const http::Request& request, std::string_view kind);

// The cursors of a slice around its items, which the caller turns into JSON.
template <class Item, class PlaceOf>
http::Page cursors_of(const sql::Slice<Item>& slice, const PlaceOf& place_of) {
  http::Page page;
  if (slice.items.empty()) return page;
  if (slice.more_before) page.before = place_text(place_of(slice.items.front()));
  if (slice.more_after) page.after = place_text(place_of(slice.items.back()));
  return page;
}

// What a query found; refuses what the caller may not see. Runs inside the snapshot.
template <class Found>
using Query = std::function<Found(sql::Transaction&)>;

// Waits for the request's token on people and graph, runs `query` in one snapshot, and answers with
// what `respond` makes of it after the snapshot is closed.
template <class Found>
http::Response answer_from_tables(const ApiPorts& ports, const http::Request& request,
                                  http::WhenBehind when_behind, const Query<Found>& query,
                                  const std::function<http::Response(Found)>& respond) {
  return http::answer_query(
      request, {ports.people_applied, ports.graph_applied}, when_behind,
      [&]() -> http::Response { return respond(core::value_of(ports.database.read(query))); });
}

// A list of people: [{"user_id", "real_name", "since"}] and what `complete` adds to each entry
// after the snapshot is closed. An Item has `account` and `since`.
template <class Item>
http::Response answer_people_with(
    const ApiPorts& ports, const http::Request& request, std::string_view kind,
    http::WhenBehind when_behind,
    const std::function<sql::Slice<Item>(sql::Transaction&, const sql::Window<core::AccountId>&)>&
        query,
    const std::function<void(const std::vector<Item>&, http::Json&)>& complete) {
  struct Found {
    sql::Slice<Item> slice;
    std::map<core::AccountId, people::Person> people;
  };
  const auto window = read_account_window(request, kind);
  return answer_from_tables<Found>(
      ports, request, when_behind,
      [&](sql::Transaction& transaction) -> Found {
        auto slice = query(transaction, window);
        std::vector<core::AccountId> accounts;
        for (const Item& item : slice.items) accounts.push_back(item.account);
        auto people = ports.people.find_many(transaction, accounts);
        return Found{std::move(slice), std::move(people)};
      },
      [&](Found found) {
        http::Page page = cursors_of(found.slice, [](const Item& item) {
          return sql::Place<core::AccountId>{item.since, item.account};
        });
        for (const Item& item : found.slice.items) {
          auto entry = people::person_json(found.people, item.account);
          entry["since"] = core::format_iso8601(item.since);
          page.items.push_back(std::move(entry));
        }
        complete(found.slice.items, page.items);
        return http::page_response(kind, std::move(page));
      });
}

// The same with nothing added.
http::Response answer_people(const ApiPorts& ports, const http::Request& request,
                             std::string_view kind, http::WhenBehind when_behind,
                             const std::function<sql::Slice<sql::PersonSince>(
                                 sql::Transaction&, const sql::Window<core::AccountId>&)>& query);

}  // namespace tideline::social_graph
