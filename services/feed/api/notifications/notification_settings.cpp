// PUT /v1/notifications/seen; GET and PUT /v1/notifications/mutes
#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/domain/notification_mutes.hpp"
#include "feed/domain/notification_reading.hpp"
#include "feed/projections/notifications/notification_queries.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::change_last;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using http::Json;
using http::Request;
using http::Response;

constexpr std::size_t kKindsMax = 16;

Response mark_seen(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const auto up_to = core::parse_iso8601(fields.text("up_to", {1, 40}));
  if (!up_to) fields.violate("up_to", "is no time, like 2026-01-02T03:04:05.678901Z");
  fields.check();
  const core::AccountId& reader = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::notification_reading(reader);
    change_last<NotificationReading>(session, stream, EventCodec<NotificationReading>{},
                                     MarkNotificationsSeen{reader, *up_to, session.context().now});
    return eventsourcing::Answer{204, "", "", stream};
  });
}

NotificationsMuted read_mutes(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  NotificationsMuted mutes;
  mutes.owner = request.account();
  for (const std::string& text : fields.optional_text_array("kinds", kKindsMax, {1, 32})) {
    const auto kind = parse_notification_kind(text);
    if (kind) {
      mutes.kinds.push_back(*kind);
    } else {
      fields.violate("kinds", "has no kind of notification");
    }
  }
  const auto user_ids =
      fields.optional_text_array("user_ids", NotificationMutes::kPersonsMax, {1, 64});
  for (const std::string& text :
       fields.optional_text_array("moment_ids", NotificationMutes::kMomentsMax, {1, 19})) {
    const auto moment = core::parse_moment_id(text);
    if (moment) {
      mutes.moments.push_back(*moment);
    } else {
      fields.violate("moment_ids", "has no id of a moment");
    }
  }
  fields.check();
  for (const std::string& user_id : user_ids) {
    if (!core::is_user_id(user_id)) http::refuse(http::no_such_person());
    mutes.persons.push_back(ports.account_ids.of(user_id));
  }
  if (!mutes.persons.empty()) find_registered(ports, request, mutes.persons);
  return mutes;
}

Response change_mutes(const ApiPorts& ports, const Request& request) {
  const NotificationsMuted mutes = read_mutes(ports, request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::notification_mutes(request.account());
    change_last<NotificationMutes>(session, stream, EventCodec<NotificationMutes>{},
                                   MuteNotifications{mutes});
    return eventsourcing::Answer{204, "", "", stream};
  });
}

Response get_mutes(const ApiPorts& ports, const Request& request) {
  return http::answer_query(
      request, {ports.notifications_applied}, http::WhenBehind::Stale, [&]() -> Response {
        NotificationSetting setting;
        PeopleByAccount people;
        core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
          setting = find_notification_setting(transaction, request.account());
          people = ports.people.find_many(transaction, setting.mutes.persons);
          return true;
        }));
        Json answer{
            {"kinds", Json::array()}, {"people", Json::array()}, {"moment_ids", Json::array()}};
        for (const NotificationKind kind : setting.mutes.kinds) {
          answer["kinds"].push_back(to_string(kind));
        }
        for (const core::AccountId& person : setting.mutes.persons) {
          answer["people"].push_back(people::person_json(people, person));
        }
        for (const core::MomentId moment : setting.mutes.moments) {
          answer["moment_ids"].push_back(core::to_string(moment));
        }
        return Response::json(200, answer);
      });
}

}  // namespace

void add_notification_settings(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Put, "/v1/notifications/seen", http::Access::SignedIn,
             [ports](const Request& request) { return mark_seen(ports, request); });
  router.add(http::Method::Get, "/v1/notifications/mutes", http::Access::SignedIn,
             [ports](const Request& request) { return get_mutes(ports, request); });
  router.add(http::Method::Put, "/v1/notifications/mutes", http::Access::SignedIn,
             [ports](const Request& request) { return change_mutes(ports, request); });
}

}  // namespace tideline::feed
