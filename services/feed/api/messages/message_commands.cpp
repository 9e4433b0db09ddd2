// POST /v1/messages, DELETE /v1/messages/{key}
#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/messages/message_admission.hpp"
#include "feed/api/messages/message_items.hpp"
#include "feed/api/named_images.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/message.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Request;
using http::Response;

// Messages of one sender in consecutive microseconds, at most.
constexpr int kMicrosecondsMax = 1000;

struct Envelope {
  std::optional<std::string> to;
  std::optional<std::string> group_id;
  std::string text;
  std::vector<std::string> images;
};

// Without its time, which is drawn when it runs.
using Sending = std::variant<SendToPerson, SendToGroup>;

Envelope read_envelope(const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  Envelope envelope;
  envelope.to = fields.optional_text("to", {1, 64});
  envelope.group_id = fields.optional_text("group_id", {26, 26});
  envelope.text = fields.optional_text("text", {1, Message::kTextCodePointsMax}).value_or("");
  envelope.images = read_images(fields, Message::kImagesMax);
  if (envelope.text.empty() && envelope.images.empty()) {
    fields.violate("", "give a text, or images, or both");
  }
  if (envelope.to.has_value() == envelope.group_id.has_value()) {
    fields.violate("", "give either to or group_id");
  }
  if (envelope.to && !core::is_user_id(*envelope.to)) fields.violate("to", "is no user_id");
  if (envelope.group_id && !core::is_time_ordered_id(*envelope.group_id)) {
    fields.violate("group_id", "is no id");
  }
  fields.check();
  return envelope;
}

Sending command_of(const ApiPorts& ports, const Request& request, const Envelope& envelope,
                   const PeopleByAccount& people) {
  const core::AccountId& sender = request.account();
  if (envelope.to) {
    const core::AccountId recipient = ports.account_ids.of(*envelope.to);
    return SendToPerson{sender, recipient,      people.at(recipient).closed, envelope.text, {},
                        false,  envelope.images};
  }
  const bool is_member = ports.reader.reads_group_since(*envelope.group_id, sender).has_value();
  return SendToGroup{sender, *envelope.group_id, is_member, envelope.text, {}, envelope.images};
}

CommandResult send(const ApiPorts& ports, CommandSession& session, Sending command,
                   const core::AccountId& sender, const std::string& sender_user_id) {
  const auto& images = std::visit(
      [](const auto& sending) -> const auto& { return sending.images; }, command);
  if (!images.empty() && !core::value_of(ports.uploads.hold(sender, images))) return kNoSuchImage;
  const eventsourcing::EventCodec<Message> codec(ports.cipher);
  if (auto* personal = std::get_if<SendToPerson>(&command); personal && !personal->refused()) {
    const auto& recipient = personal->recipient;
    personal->is_request = !ports.reader.are_contacts(sender, recipient) &&
                           admit_to_stranger(session, sender, recipient);
  }
  core::Timestamp next = session.context().now;
  core::Timestamp sent_at;
  const auto message = eventsourcing::create<Message>(session, codec, kMicrosecondsMax, [&] {
    sent_at = std::exchange(next, next + std::chrono::microseconds(1));
    std::visit([&](auto& sending) { sending.now = sent_at; }, command);
    return eventsourcing::Creation<Message>{
        keys::message(sender, sent_at),
        std::visit([](const auto& sending) { return Message::Command(sending); }, command)};
  });
  const std::string key = message_key_text(sender_user_id, sent_at);
  const nlohmann::json body{{"key", key}, {"sent_at", core::format_iso8601(sent_at)}};
  return Answer{201, body.dump(), "/v1/messages/" + key, message.stream};
}

Response handle_send(const ApiPorts& ports, const Request& request) {
  const auto envelope = read_envelope(request);
  const core::AccountId& sender = request.account();
  std::vector<core::AccountId> named{sender};
  if (envelope.to) named.push_back(ports.account_ids.of(*envelope.to));
  const auto people = find_registered(ports, request, named);
  const auto& sender_user_id = people.at(sender).user_id;
  if (!sender_user_id) {
    return to_response(http::unavailable("your name is not known here yet, try again"));
  }
  require_fresh(ports, request);
  if (envelope.to) refuse_blocked(ports, sender, named.back());
  const auto command = command_of(ports, request, envelope, people);
  return ports.commands.answer(request, [&](CommandSession& session) {
    return send(ports, session, command, sender, *sender_user_id);
  });
}

// Of others it is not said whether there is one.
Response handle_recall(const ApiPorts& ports, const Request& request) {
  const auto key = parse_message_key(ports.account_ids, request.param("key"));
  if (!key || key->sender != request.account()) return to_response(http::not_found());
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::message(key->sender, key->sent_at);
    eventsourcing::change<Message>(session, stream,
                                   eventsourcing::EventCodec<Message>(ports.cipher),
                                   RecallMessage{session.context().now});
    return Answer{204, "", "", stream};
  });
}

}  // namespace

void add_message_commands(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Post, "/v1/messages", http::Access::SignedIn,
             [ports](const Request& request) { return handle_send(ports, request); });
  router.add(http::Method::Delete, "/v1/messages/{key}", http::Access::SignedIn,
             [ports](const Request& request) { return handle_recall(ports, request); });
}

}  // namespace tideline::feed
