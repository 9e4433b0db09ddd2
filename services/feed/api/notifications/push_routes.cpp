// GET and PUT /v1/notifications/push, DELETE /v1/notifications/push/{subscription_id}
#include "feed/api/notifications/push_rounds.hpp"
#include "feed/api/routes.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

// In what a browser gives, base64url of 65 and of 16 bytes.
constexpr std::size_t kKeyLengthMax = 100;

Response list_subscriptions(const ApiPorts& ports, const Request& request) {
  const auto found = core::value_of(ports.database.read_each_alone([&](sql::Transaction& reading) {
    return list_push_subscriptions(reading, request.account());
  }));
  Json answer{{"public_key", ports.vapid ? Json(ports.vapid->public_key()) : Json()},
              {"subscriptions", Json::array()}};
  for (const PushSubscription& one : found) {
    answer["subscriptions"].push_back(
        {{"id", one.id},
         {"renewed_at", core::format_iso8601(one.renewed_at)},
         {"of_this_session", one.session_id == request.principal->session_id}});
  }
  return Response::json(200, answer);
}

// No event and no command: it says where something is sent, and ends with the session.
Response subscribe(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string endpoint = fields.text("endpoint", {1, push::kEndpointLengthMax});
  const std::string key = fields.text("p256dh", {1, kKeyLengthMax});
  const std::string secret = fields.text("auth", {1, kKeyLengthMax});
  fields.check();
  if (ports.vapid == nullptr) {
    http::refuse(http::conflict("no-push", "no messages are sent to browsers here"));
  }
  const auto target = push::read_target(endpoint, key, secret, ports.push_reach);
  if (!target) http::refuse(http::unprocessable("push-target", target.error().message));
  PushSubscription subscription;
  subscription.owner = request.account();
  subscription.id = ports.cipher.index(endpoint, kPushTargetContext);
  subscription.session_id = request.principal->session_id;
  subscription.password_version = request.principal->password_version;
  subscription.sealed_target =
      core::value_of(ports.cipher.seal(subscription.owner, target->to_text(), kPushTargetContext));
  subscription.renewed_at = ports.clock.now();
  core::value_of(ports.database.transact(
      [&](sql::Transaction& writing) { put_push_subscription(writing, subscription); }));
  return Response::json(200, {{"id", subscription.id}});
}

Response unsubscribe(const ApiPorts& ports, const Request& request) {
  bool was_there = false;
  core::value_of(ports.database.transact([&](sql::Transaction& writing) {
    was_there =
        remove_push_subscription(writing, request.account(), request.param("subscription_id"));
  }));
  return was_there ? Response::no_content() : to_response(http::not_found());
}

}  // namespace

void add_push_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/notifications/push", http::Access::SignedIn,
             [ports](const Request& request) { return list_subscriptions(ports, request); });
  router.add(http::Method::Put, "/v1/notifications/push", http::Access::SignedIn,
             [ports](const Request& request) { return subscribe(ports, request); });
  router.add(http::Method::Delete, "/v1/notifications/push/{subscription_id}",
             http::Access::SignedIn,
             [ports](const Request& request) { return unsubscribe(ports, request); });
}

}  // namespace tideline::feed
