// GET /v1/moments/{id}/poll, PUT /v1/moments/{id}/poll/vote
//
// Who does not see the moment has no poll. A result is shown to who has voted, to the author, and
// to all readers once the poll is closed: nobody votes with the result before them.
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/moment.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed/projections/poll_queries.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using http::Json;
using http::Request;
using http::Response;

// The numbers of options, from 1, as bits.
std::uint32_t read_choices(const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  std::uint32_t choices = 0;
  for (const std::string& text : fields.text_array("choices", Poll::kOptionsMax, {1, 1})) {
    const auto number = static_cast<std::size_t>(text[0] - '1');
    if (number < Poll::kOptionsMax) {
      choices |= 1U << number;
    } else {
      fields.violate("choices", "holds something that is no number from 1 to 6");
    }
  }
  if (choices == 0) fields.violate("choices", "names no option");
  fields.check();
  return choices;
}

Response handle_vote(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const std::uint32_t choices = read_choices(request);
  require_fresh(ports, request);
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    if (!ports.reader.find_author(*id, me)) return kNoSuchMoment;
    const auto moment =
        session.load<Moment>(keys::moment(*id), EventCodec<Moment>(ports.cipher)).state;
    if (!moment.stands()) return kNoSuchMoment;
    if (!moment.poll) return kNoSuchPoll;
    const auto stream = keys::poll_vote(*id, me);
    eventsourcing::change<PollVote>(
        session, stream, EventCodec<PollVote>{},
        CastPollVote{*id, me, *moment.poll, choices, session.context().now});
    return Answer{204, "", "", stream};
  });
}

struct FoundPoll {
  bool has_moment = false;
  std::optional<PollRow> poll;
  std::uint32_t vote = 0;
  std::optional<PollResult> result;
};

FoundPoll read_poll(sql::Transaction& transaction, core::MomentId id, const core::AccountId& viewer,
                    core::Timestamp now) {
  FoundPoll found;
  const std::vector<core::MomentId> ids{id};
  found.has_moment = !find_moments(transaction, ids).empty();
  const auto polls = find_polls(transaction, ids);
  if (polls.empty()) return found;
  found.poll = polls.begin()->second;
  found.vote = find_poll_vote(transaction, id, viewer);
  if (found.vote != 0 || viewer == found.poll->author || now >= found.poll->closes_at) {
    found.result = count_poll_votes(transaction, id, found.poll->options);
  }
  return found;
}

Response poll_response(const ApiPorts& ports, const FoundPoll& found, core::Timestamp now) {
  const PollRow& poll = *found.poll;
  const auto opened = core::value_of(ports.cipher.open_many(std::vector<crypto::SealedText>{
      {poll.author, poll.sealed_options, eventsourcing::Stored<PollOpened>::kOptionsContext}}));
  if (!opened.front()) return to_response(http::not_found());  // its author has been erased
  const auto texts = split_options(*opened.front());
  Json options = Json::array();
  for (std::size_t option = 0; option < texts.size(); ++option) {
    const auto votes = found.result ? Json(found.result->votes.at(option)) : Json();
    options.push_back(
        {{"text", texts[option]}, {"chosen", (found.vote >> option & 1U) != 0}, {"votes", votes}});
  }
  return Response::json(200, {{"options", std::move(options)},
                              {"multiple", poll.is_multiple},
                              {"closes_at", core::format_iso8601(poll.closes_at)},
                              {"closed", now >= poll.closes_at},
                              {"voted", found.vote != 0},
                              {"voters", found.result ? Json(found.result->voters) : Json()}});
}

Response handle_poll(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  return answer_private(ports, request, ports.tables_applied, [&]() -> Response {
    if (!ports.reader.find_author(*id, request.account())) return to_response(http::not_found());
    const core::Timestamp now = ports.clock.now();
    const auto found = core::value_of(read_up_to_engine(
        ports, request, ports.tables_applied,
        [&](sql::Transaction& transaction) {
          return read_poll(transaction, *id, request.account(), now);
        },
        [](const FoundPoll& read) { return read.has_moment; }));
    if (!found.poll) {
      return to_response(http::problem(404, kNoSuchPoll.code, "Not found", kNoSuchPoll.detail));
    }
    return poll_response(ports, found, now);
  });
}

}  // namespace

void add_poll_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/moments/{id}/poll", http::Access::SignedIn,
             [ports](const Request& request) { return handle_poll(ports, request); });
  router.add(http::Method::Put, "/v1/moments/{id}/poll/vote", http::Access::SignedIn,
             [ports](const Request& request) { return handle_vote(ports, request); });
}

}  // namespace tideline::feed
