#include <charconv>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

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

constexpr std::string_view kKind = "voting-board";

template <class Command>
Response change_voting(const ApiPorts& ports, const Request& request, int status) {
  const auto id = project_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    // Closing is no more than the author's own matter, also while nobody else sees the project.
    const auto author = std::is_same_v<Command, OpenVoting>
                            ? author_of_shown(ports, session, id, request.account())
                            : author_of(ports, session, id, request.account());
    const auto stream = keys::voting(id);
    change<Voting>(session, stream, eventsourcing::EventCodec<Voting>{},
                   Command{id, author, request.account()});
    const std::string body =
        status == 204 ? "" : Json({{"project_id", id}, {"state", "open"}}).dump();
    return Answer{status, body, "", stream};
  });
}

Response open_voting(const ApiPorts& ports, const Request& request) {
  return change_voting<OpenVoting>(ports, request, 201);
}

Response close_voting(const ApiPorts& ports, const Request& request) {
  return change_voting<CloseVoting>(ports, request, 204);
}

// A vote stands against the ballot box as it was seen: closing it in between conflicts.
template <class Command>
Response change_vote(const ApiPorts& ports, const Request& request, int status) {
  const auto id = project_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const core::AccountId& voter = request.account();
    const auto stream = keys::vote(id, voter);
    const bool takes_back =
        std::is_same_v<Command, WithdrawVote> &&
        session.load<Vote>(stream, eventsourcing::EventCodec<Vote>{}).state.standing;
    const auto author = takes_back ? author_beyond_block(ports, session, id, voter)
                                   : author_of_shown(ports, session, id, voter);
    const auto voting = session.load<Voting>(keys::voting(id), eventsourcing::EventCodec<Voting>{});
    session.assert_unchanged(voting);
    change<Vote>(session, stream, eventsourcing::EventCodec<Vote>{},
                 Command{id, author, voter, voting.state});
    const std::string body =
        status == 204 ? "" : Json({{"project_id", id}, {"voted", true}}).dump();
    return Answer{status, body, "", stream};
  });
}

Response cast_vote(const ApiPorts& ports, const Request& request) {
  return change_vote<CastVote>(ports, request, 200);
}

Response withdraw_vote(const ApiPorts& ports, const Request& request) {
  return change_vote<WithdrawVote>(ports, request, 204);
}

Response get_own_vote(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  return answer_from_tables<bool>(
      ports, request,
      [&](Transaction& transaction) -> bool {
        visible_project(transaction, id, request.account());
        return has_voted(transaction, id, request.account());
      },
      [&](bool voted) {
        return Response::json(200, {{"project_id", id}, {"voted", voted}});
      });
}

struct Board {
  std::vector<ProjectRow> projects;
  sql::Slice<BoardPlace> places;
  std::map<core::AccountId, people::Person> people;
};

// "<tally>,<project id>"
std::optional<BoardPlace> parse_board_place(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  BoardPlace place;
  place.project = text.substr(comma + 1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + comma, place.tally);
  if (error != std::errc() || stop != text.data() + comma) return std::nullopt;
  if (!core::is_time_ordered_id(place.project)) return std::nullopt;
  return place;
}

std::string place_text(const BoardPlace& place) {
  return std::to_string(place.tally) + "," + place.project;
}

Board read_board(const ApiPorts& ports, Transaction& transaction, const core::AccountId& viewer,
                 const http::PageRequest<BoardPlace>& page) {
  Board board;
  board.places = list_board(transaction, viewer, page.before, page.after, page.limit);
  std::vector<std::string> ids;
  for (const BoardPlace& place : board.places.items) ids.push_back(place.project);
  board.projects = find_projects(transaction, ids);
  std::vector<core::AccountId> authors;
  for (const ProjectRow& row : board.projects) authors.push_back(row.author);
  board.people = ports.people.find_many(transaction, authors);
  return board;
}

Response answer_board(const ApiPorts& ports, const Board& board) {
  std::vector<crypto::SealedText> sealed;
  for (const ProjectRow& row : board.projects) {
    sealed.push_back(
        {row.author, row.sealed_card, eventsourcing::Stored<ProjectCreated>::kCardContext});
  }
  const auto cards = core::value_of(ports.cipher.open_many(sealed));
  http::Page page;
  for (std::size_t i = 0; i < board.projects.size(); ++i) {
    const ProjectRow& row = board.projects[i];
    const auto card = cards[i] ? card_from_json(*cards[i]) : std::nullopt;
    page.items.push_back({{"project_id", row.id},
                          {"name", card ? Json(card->name) : Json(nullptr)},
                          {"author", person_json(board.people, row.author)},
                          {"tally", row.tally}});
  }
  const auto& places = board.places;
  if (places.more_before) page.before = place_text(places.items.front());
  if (places.more_after) page.after = place_text(places.items.back());
  return http::page_response(kKind, std::move(page));
}

Response get_board(const ApiPorts& ports, const Request& request) {
  const auto page = http::value_of(http::read_page(request, kKind, parse_board_place));
  return answer_from_tables<Board>(
      ports, request,
      [&](Transaction& transaction) -> Board {
        return read_board(ports, transaction, request.account(), page);
      },
      [&](const Board& board) { return answer_board(ports, board); });
}

}  // namespace

void add_voting_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/projects/{project_id}/voting", Access::SignedIn, with(open_voting));
  router.add(Method::Delete, "/v1/projects/{project_id}/voting", Access::SignedIn,
             with(close_voting));
  router.add(Method::Put, "/v1/projects/{project_id}/vote", Access::SignedIn, with(cast_vote));
  router.add(Method::Delete, "/v1/projects/{project_id}/vote", Access::SignedIn,
             with(withdraw_vote));
  router.add(Method::Get, "/v1/projects/{project_id}/vote", Access::SignedIn, with(get_own_vote));
  router.add(Method::Get, "/v1/voting-board", Access::SignedIn, with(get_board));
}

}  // namespace tideline::projects
