// PUT and DELETE /v1/moments/{id}/like, POST /v1/moments/{id}/comments,
// DELETE /v1/moments/{id}/comments/{comment_id}
//
// Who does not see a moment cannot like it or comment on it. That is asked of the engine alone:
// what is written while the moment is being deleted is as invisible as the moment.
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/mentions.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/like.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using http::Request;
using http::Response;

Response handle_like(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  require_fresh(ports, request);
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = ports.reader.find_author(*id, me);
    if (!author) return kNoSuchMoment;
    const auto stream = keys::like(*id, me);
    eventsourcing::change<Like>(session, stream, eventsourcing::EventCodec<Like>{},
                                LikeMoment{*id, *author, me, session.context().now});
    return Answer{204, "", "", stream};
  });
}

// Taking back what one has given takes no look at the moment.
Response handle_unlike(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::like(*id, me);
    const auto like = eventsourcing::change<Like>(
        session, stream, eventsourcing::EventCodec<Like>{}, UnlikeMoment{*id, me});
    if (like.events.empty() && !may_know_of(ports, *id, me)) return kNoSuchMoment;
    return Answer{204, "", "", stream};
  });
}

// All but id, authors of the moment and of the parent, time and what its writer had seen, which
// come when the command runs.
AddComment read_comment(const ApiPorts& ports, const Request& request, core::MomentId id) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  AddComment command;
  command.text = fields.text("text", {1, Comment::kTextCodePointsMax});
  if (const auto parent = fields.optional_text("parent_id", {1, 19})) {
    command.parent = core::parse_comment_id(*parent);
    if (!command.parent) fields.violate("parent_id", "is no id");
  }
  command.mentions = read_mentions(ports, fields);
  fields.check();
  command.moment = id;
  command.author = request.account();
  return command;
}

CommandResult add(const ApiPorts& ports, CommandSession& session, AddComment command) {
  const auto moment_author = ports.reader.find_author(command.moment, command.author);
  if (!moment_author) return kNoSuchMoment;
  if (ports.reader.count_comments(command.moment) >= Comment::kPerMomentMax) {
    return Rejection{RejectionKind::Conflict, "comment-limit-reached",
                     "the moment has as many comments as one may have"};
  }
  if (command.parent) {
    command.parent_author =
        ports.reader.find_commenter(command.moment, *command.parent, command.author);
    if (!command.parent_author) {
      return Rejection{RejectionKind::Invalid, "no-such-comment",
                       "the comment that this one answers does not exist"};
    }
  }
  const eventsourcing::EventCodec<Comment> codec(ports.cipher);
  command.moment_author = *moment_author;
  command.now = session.context().now;
  command.id = ports.moment_ids.next_comment(command.now, command.moment_author);
  const auto stream = keys::comment(command.moment, command.id);
  eventsourcing::begin<Comment>(session, stream, codec, command);
  count_addressing(ports, session, command.author, command.mentions);
  const nlohmann::json body{{"id", core::to_string(command.id)},
                            {"written_at", core::format_iso8601(command.now)}};
  return Answer{201, body.dump(), "/v1/moments/" + core::to_string(command.moment) + "/comments",
                stream};
}

Response handle_comment(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const auto command = read_comment(ports, request, *id);
  require_fresh(ports, request);
  require_mentionable(ports, request, command.mentions);
  return ports.commands.answer(
      request, [&](CommandSession& session) { return add(ports, session, command); });
}

Response handle_delete_comment(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  const auto comment_id = core::parse_comment_id(request.param("comment_id"));
  if (!id || !comment_id) return to_response(http::not_found());
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::comment(*id, *comment_id);
    forbidden_as_not_found(
        [&] {
          eventsourcing::change<Comment>(
              session, stream, eventsourcing::EventCodec<Comment>(ports.cipher), DeleteComment{me});
        },
        [&] {
          return ports.freshness.is_fresh() && ports.reader.shows_comment(*id, *comment_id, me);
        },
        Comment::decide({}, DeleteComment{me}).rejection());
    return Answer{204, "", "", stream};
  });
}

}  // namespace

void add_interaction_commands(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Put, "/v1/moments/{id}/like", Access::SignedIn, with(handle_like));
  router.add(Method::Delete, "/v1/moments/{id}/like", Access::SignedIn, with(handle_unlike));
  router.add(Method::Post, "/v1/moments/{id}/comments", Access::SignedIn, with(handle_comment));
  router.add(Method::Delete, "/v1/moments/{id}/comments/{comment_id}", Access::SignedIn,
             with(handle_delete_comment));
}

}  // namespace tideline::feed
