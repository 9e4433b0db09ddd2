// PUT /v1/timeline/seen, GET /v1/timeline/unread
#include "feed/domain/timeline_reading.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::size_t kUnreadMax = 1000;

Response handle_seen(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const auto up_to = core::parse_moment_id(fields.text("up_to", {1, 19}));
  if (!up_to) fields.violate("up_to", "is no id of a moment");
  fields.check();
  const core::AccountId& reader = request.account();
  return ports.commands.answer(
      request, [&](eventsourcing::CommandSession& session) -> eventsourcing::CommandResult {
        const auto stream = keys::timeline_reading(reader);
        eventsourcing::change<TimelineReading>(
            session, stream, eventsourcing::EventCodec<TimelineReading>{},
            MarkTimelineSeen{reader, *up_to, session.context().now});
        return eventsourcing::Answer{204, "", "", stream};
      });
}

Response handle_unread(const ApiPorts& ports, const Request& request) {
  return ports.shard_router.answer(request, [&] {
    return answer_private(ports, request, ports.engine_applied, [&] {
      const UnreadMoments unread = ports.reader.unread(request.account(), kUnreadMax);
      Json answer{{"unread", unread.count}, {"more", unread.more}, {"seen_up_to", nullptr}};
      if (unread.seen_up_to) answer["seen_up_to"] = core::to_string(*unread.seen_up_to);
      return Response::json(200, answer);
    });
  });
}

}  // namespace

void add_timeline_reading(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Put, "/v1/timeline/seen", http::Access::SignedIn,
             [ports](const Request& request) { return handle_seen(ports, request); });
  router.add(http::Method::Get, "/v1/timeline/unread", http::Access::SignedIn,
             [ports](const Request& request) { return handle_unread(ports, request); });
}

}  // namespace tideline::feed
