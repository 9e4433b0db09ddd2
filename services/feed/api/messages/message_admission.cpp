#include "feed/api/messages/message_admission.hpp"

#include "eventsourcing/events/event_codec.hpp"
#include "feed/domain/message_request.hpp"
#include "feed/domain/message_setting.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using eventsourcing::Rejected;
using eventsourcing::RejectionKind;

void count_stranger(CommandSession& session, const core::AccountId& sender) {
  change_last<StrangerCount>(
      session, keys::strangers(sender, session.context().today), EventCodec<StrangerCount>{},
      StrangerCount::Add{sender,
                         kStrangersADay,
                         {RejectionKind::Conflict, "stranger-limit-reached",
                          "you have written to as many new people as one may in a day"}});
}

}  // namespace

void refuse_blocked(const ApiPorts& ports, const core::AccountId& sender,
                    const core::AccountId& recipient) {
  if (ports.reader.has_blocked(sender, recipient)) {
    http::refuse(http::conflict("person-blocked", "you have blocked this person; unblock first"));
  }
  if (ports.reader.has_blocked(recipient, sender)) http::refuse(http::no_such_person());
}

bool admit_to_stranger(CommandSession& session, const core::AccountId& sender,
                       const core::AccountId& recipient) {
  const auto request = session.load_last<MessageRequest>(keys::message_request(recipient, sender),
                                                         EventCodec<MessageRequest>{});
  if (request.state.accepted()) {
    session.assert_unchanged(request);
  } else {
    const auto setting = session.load_last<MessageSetting>(keys::message_setting(recipient),
                                                           EventCodec<MessageSetting>{});
    session.assert_unchanged(setting);
    if (setting.state.contacts_only) {
      throw Rejected({RejectionKind::Forbidden, "contacts-only",
                      "this person takes messages of contacts alone"});
    }
    change<MessageRequest>(session, request, EventCodec<MessageRequest>{},
                           WriteToStranger{recipient, sender});
    if (request.state.sent == 0) count_stranger(session, sender);
  }
  change_last<MessageRequest>(session, keys::message_request(sender, recipient),
                              EventCodec<MessageRequest>{}, WelcomeMessages{sender, recipient});
  return !request.state.accepted();
}

}  // namespace tideline::feed
