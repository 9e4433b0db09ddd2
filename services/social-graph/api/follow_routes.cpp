#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/json.hpp"
#include "social-graph/api/block_commands.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/follow_setting.hpp"
#include "social-graph/projections/follow_queries.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Method;
using http::Request;
using http::Response;
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;
using sql::Window;

Response follow(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Open);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    refuse_blocked(session, me, other.account);
    const auto stream = keys::follow(me, other.account);
    change<Follow>(session, stream, eventsourcing::EventCodec<Follow>{},
                   FollowPerson{me, other.account});
    return Answer{200, person_json(other).dump(), "", stream};
  });
}

Response unfollow(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Any);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::follow(me, other.account);
    change<Follow>(session, stream, eventsourcing::EventCodec<Follow>{},
                   UnfollowPerson{me, other.account});
    return Answer{204, "", "", stream};
  });
}

Response list(const ApiPorts& ports, const Request& request) {
  const auto direction = request.query("direction").value_or("following");
  if (direction != name_of(FollowDirection::Following) &&
      direction != name_of(FollowDirection::Followers)) {
    return to_response(http::malformed("direction is following or followers"));
  }
  const auto wanted = direction == name_of(FollowDirection::Following) ? FollowDirection::Following
                                                                       : FollowDirection::Followers;
  return answer_people(
      ports, request, name_of(wanted), http::WhenBehind::Stale,
      [&](Transaction& transaction, const Window<AccountId>& window) -> Slice<PersonSince> {
        return list_follows(transaction, request.account(), wanted, window);
      });
}

struct OwnCounts {
  FollowCounts counts;
  CountAudience shown_to = CountAudience::Nobody;
};

Response get_counts(const ApiPorts& ports, const Request& request) {
  return answer_from_tables<OwnCounts>(
      ports, request, http::WhenBehind::Stale,
      [&](Transaction& transaction) -> OwnCounts {
        const AccountId& me = request.account();
        return {count_follows(transaction, me), find_count_audience(transaction, me)};
      },
      [](OwnCounts own) {
        return Response::json(200, {{"follower_count", own.counts.followers},
                                    {"following_count", own.counts.following},
                                    {"counts_shown_to", to_string(own.shown_to)}});
      });
}

Response show_counts(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const auto shown_to = fields.one_of("counts_shown_to", {"nobody", "contacts", "everybody"});
  fields.check();
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::follow_setting(me);
    eventsourcing::change_last<FollowSetting>(
        session, stream, eventsourcing::EventCodec<FollowSetting>{},
        ShowFollowCounts{me, parse_count_audience(shown_to).value()});
    return Answer{204, "", "", stream};
  });
}

}  // namespace

void add_follow_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Get, "/v1/follows", Access::SignedIn, with(list));
  router.add(Method::Get, "/v1/follows/me", Access::SignedIn, with(get_counts));
  router.add(Method::Put, "/v1/follows/me", Access::SignedIn, with(show_counts));
  router.add(Method::Put, "/v1/follows/{user_id}", Access::SignedIn, with(follow));
  router.add(Method::Delete, "/v1/follows/{user_id}", Access::SignedIn, with(unfollow));
}

}  // namespace tideline::social_graph
