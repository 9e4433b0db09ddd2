#include <array>
#include <utility>

#include "accounts/api/routes.hpp"
#include "accounts/domain/account.hpp"
#include "accounts/domain/rejections.hpp"
#include "accounts/projections/account_queries.hpp"
#include "accounts/stored_events.hpp"
#include "accounts/stream_keys.hpp"
#include "blocks/blocks.hpp"
#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "people/avatar_path.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::accounts {
namespace {

namespace es = eventsourcing;
using http::Request;
using http::Response;

constexpr std::array kAvatarKinds{uploads::ImageKind::Png, uploads::ImageKind::Jpeg,
                                  uploads::ImageKind::WebP};

Account::State change_avatar(const ApiPorts& ports, es::CommandSession& session,
                             const core::AccountId& account, std::optional<std::string> hash) {
  return es::change<Account>(session, keys::account(account),
                             es::EventCodec<Account>(ports.profiles.cipher()),
                             ChangeAvatar{std::move(hash)})
      .state;
}

// The bytes are stored once it is decided that the account is open, and before the event that names
// them: storing them again changes nothing.
Response put_avatar(const ApiPorts& ports, const Request& request) {
  const auto image = uploads::read_image(request, ports.renditions, kAvatarKinds);
  const core::AccountId account = request.account();
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    const std::string hash = uploads::hash_of(image.large);
    const auto state = change_avatar(ports, session, account, hash);
    if (!core::value_of(ports.images.put(account, image))) return uploads::kSpaceUsedUp;
    const nlohmann::json answer{
        {"avatar", people::avatar_path(state.profile.user_id, hash)},
        {"avatar_preview", uploads::preview_json(uploads::preview_of(image))}};
    return es::Answer{200, answer.dump(), "", keys::account(account)};
  });
}

Response delete_avatar(const ApiPorts& ports, const Request& request) {
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    change_avatar(ports, session, request.account(), std::nullopt);
    return es::Answer{204, "", "", keys::account(request.account())};
  });
}

http::Problem no_such_avatar() { return http::not_found("the person has no such avatar"); }

Response answer_avatar(const ApiPorts& ports, const Request& request,
                       const core::AccountId& owner) {
  const std::string hash(request.param("hash"));
  const auto size = uploads::read_image_size(request);
  const auto row = core::value_of(
      ports.database.read([&](sql::Transaction& transaction) -> std::optional<AccountRow> {
        if (blocks::are_apart(transaction, request.account(), owner)) return std::nullopt;
        return find_open_account(transaction, owner);
      }));
  if (!row) return to_response(http::no_such_person());
  const auto profile = core::value_of(ports.profiles.open(owner, row->sealed_profile));
  if (!profile) return to_response(http::no_such_person());
  if (profile->avatar != hash) return to_response(no_such_avatar());
  return uploads::answer_image(ports.images, owner, hash, size, uploads::Caching::Immutable,
                               no_such_avatar());
}

Response get_avatar(const ApiPorts& ports, const Request& request) {
  const auto user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) return to_response(http::no_such_person());
  return http::answer_query(
      request, {ports.accounts_applied, ports.blocks_applied}, http::WhenBehind::Stale,
      [&] { return answer_avatar(ports, request, ports.account_ids.of(user_id)); });
}

}  // namespace

void add_avatar_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(
      Method::Put, "/v1/me/avatar", Access::SignedIn,
      [ports](const Request& request) { return put_avatar(ports, request); },
      uploads::kImageLimits);
  router.add(Method::Delete, "/v1/me/avatar", Access::SignedIn,
             [ports](const Request& request) { return delete_avatar(ports, request); });
  router.add(Method::Get, "/v1/profiles/{user_id}/avatar/{hash}", Access::SignedInOrLink,
             [ports](const Request& request) { return get_avatar(ports, request); });
}

}  // namespace tideline::accounts
