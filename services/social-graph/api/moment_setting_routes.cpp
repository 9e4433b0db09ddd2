// Nothing here ever tells anybody what others have set about him.
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/json.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/domain/moment_setting.hpp"
#include "social-graph/projections/moment_setting_queries.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::change_last;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;
using http::WhenBehind;
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;
using sql::Window;

Json setting_json(const NamedPerson& other, bool hides_other, bool hidden_from_other) {
  auto body = person_json(other);
  body["hides_other"] = hides_other;
  body["hidden_from_other"] = hidden_from_other;
  return body;
}

Response change_setting(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const bool hides_other = fields.boolean("hides_other");
  const bool hidden_from_other = fields.boolean("hidden_from_other");
  fields.check();
  const auto other = person_in_path(ports, request, Standing::Registered);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::exclusion(me, other.account);
    change_last<MomentSetting>(
        session, stream, eventsourcing::EventCodec<MomentSetting>{},
        ChangeMomentSetting{me, other.account, hides_other, hidden_from_other});
    return Answer{200, setting_json(other, hides_other, hidden_from_other).dump(), "", stream};
  });
}

Response get_setting(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Registered);
  return answer_from_tables<HeldSetting>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> HeldSetting {
        return find_setting(transaction, request.account(), other.account).value_or(HeldSetting{});
      },
      [&](HeldSetting held) {
        auto response =
            Response::json(200, setting_json(other, held.hides_other, held.hidden_from_other));
        if (held.version.value() > 0) response.header("ETag", http::entity_tag(held.version));
        return response;
      });
}

Response count(const ApiPorts& ports, const Request& request) {
  return answer_from_tables<SettingCounts>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> SettingCounts {
        return count_settings(transaction, request.account());
      },
      [](SettingCounts counts) {
        return Response::json(
            200, {{"hidden_count", counts.hidden}, {"hidden_from_count", counts.hidden_from}});
      });
}

http::Handler listing(const ApiPorts& ports, SettingList list, std::string_view kind) {
  return [ports, list, kind](const Request& request) {
    return answer_people(
        ports, request, kind, WhenBehind::Stale,
        [&](Transaction& transaction, const Window<AccountId>& window) -> Slice<PersonSince> {
          return list_settings(transaction, request.account(), list, window);
        });
  };
}

}  // namespace

void add_moment_setting_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Get, "/v1/moment-settings", Access::SignedIn, with(count));
  router.add(Method::Get, "/v1/moment-settings/hidden", Access::SignedIn,
             listing(ports, SettingList::Hidden, "hidden"));
  router.add(Method::Get, "/v1/moment-settings/hidden-from", Access::SignedIn,
             listing(ports, SettingList::HiddenFrom, "hidden-from"));
  router.add(Method::Get, "/v1/moment-settings/{user_id}", Access::SignedIn, with(get_setting));
  router.add(Method::Put, "/v1/moment-settings/{user_id}", Access::SignedIn, with(change_setting));
}

}  // namespace tideline::social_graph
