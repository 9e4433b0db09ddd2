#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "http/messages/cursor.hpp"
#include "scoring/api/board_parameters.hpp"
#include "scoring/api/board_place.hpp"
#include "scoring/api/named_person.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/score_json.hpp"

namespace tideline::scoring {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr int kSpanDefault = 5;
constexpr int kSpanMax = 50;

BoardWindow read_board_window(const Request& request, const std::string& list) {
  const auto page = http::value_of(http::read_page(request, list, parse_board_place));
  return BoardWindow{page.before, page.after, static_cast<std::size_t>(page.limit)};
}

std::size_t read_span(const Request& request) {
  const auto text = request.query("span");
  int span = kSpanDefault;
  if (text) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), span);
    if (error != std::errc() || end != text->data() + text->size() || span < 1 || span > kSpanMax) {
      http::refuse(http::malformed("span is a number from 1 to 50"));
    }
  }
  return static_cast<std::size_t>(span);
}

Json entries_json(const ApiPorts& ports, const std::vector<RankedEntry>& entries) {
  std::vector<core::AccountId> accounts;
  for (const RankedEntry& ranked : entries) accounts.push_back(ranked.entry.account);
  const auto people = NamedPeople::find(ports, accounts);
  Json items = Json::array();
  for (const RankedEntry& ranked : entries) {
    items.push_back(entry_json(ports, ranked, people.json(ranked.entry.account)));
  }
  return items;
}

Response leaderboard(const ApiPorts& ports, const Request& request) {
  const auto board = read_board(ports, request);
  const auto window = read_board_window(request, board.list);
  return http::answer_query(request, {ports.scores_in_memory}, http::WhenBehind::Stale, [&] {
    const BoardPage found = ports.scores.page(window, board.name);
    auto items = entries_json(ports, found.items);
    http::Page page;
    page.items = std::move(items);
    if (!found.items.empty()) {
      if (found.more_before) page.before = board_place_text(found.items.front().entry);
      if (found.more_after) page.after = board_place_text(found.items.back().entry);
    }
    return http::page_response(board.list, std::move(page));
  });
}

Response rank_of(const ApiPorts& ports, const Request& request) {
  const auto board = read_board(ports, request);
  return http::answer_query(request,
                            {ports.people_applied, ports.blocks_applied, ports.scores_in_memory},
                            http::WhenBehind::Stale, [&] {
                              const auto person = member_in_path(ports, request);
                              const Total total = ports.scores.total(person.account, board.name);
                              Json json = total_json(ports, total);
                              json["user"] = person_json(person);
                              json["members"] = total.members;
                              return Response::json(200, json);
                            });
}

Response around(const ApiPorts& ports, const Request& request) {
  const auto span = read_span(request);
  const auto board = read_board(ports, request);
  return http::answer_query(
      request, {ports.people_applied, ports.blocks_applied, ports.scores_in_memory},
      http::WhenBehind::Stale, [&] {
        const auto person = member_in_path(ports, request);
        auto items = entries_json(ports, ports.scores.around(person.account, span, board.name));
        return Response::json(200, {{"user", person_json(person)}, {"items", std::move(items)}});
      });
}

}  // namespace

void add_board_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/leaderboard", Access::SignedIn,
             [ports](const Request& request) { return leaderboard(ports, request); });
  router.add(Method::Get, "/v1/ranks/{user_id}", Access::SignedIn,
             [ports](const Request& request) { return rank_of(ports, request); });
  router.add(Method::Get, "/v1/ranks/{user_id}/around", Access::SignedIn,
             [ports](const Request& request) { return around(ports, request); });
}

}  // namespace tideline::scoring
