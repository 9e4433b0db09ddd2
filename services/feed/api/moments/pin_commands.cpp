// PUT and DELETE /v1/moments/{id}/pin
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/moment.hpp"
#include "feed/domain/pinned_moment.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using http::Request;
using http::Response;

const Rejection kPinsOwnAlone{RejectionKind::Forbidden, "not-the-author",
                              "only its author pins a moment"};

template <class Command>
Response change_pin(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  require_fresh(ports, request);
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto author = ports.reader.find_author(*id, me);
    if (!author) return kNoSuchMoment;
    if (*author != me) return kPinsOwnAlone;
    const auto stream = keys::pinned_moment(me);
    eventsourcing::change_last<PinnedMoment>(
        session, stream, eventsourcing::EventCodec<PinnedMoment>{}, Command{me, *id});
    return Answer{204, "", "", stream};
  });
}

}  // namespace

void add_pin_commands(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Put, "/v1/moments/{id}/pin", http::Access::SignedIn,
             [ports](const Request& request) { return change_pin<PinMoment>(ports, request); });
  router.add(http::Method::Delete, "/v1/moments/{id}/pin", http::Access::SignedIn,
             [ports](const Request& request) { return change_pin<UnpinMoment>(ports, request); });
}

}  // namespace tideline::feed
