#include <utility>

#include "accounts/api/profile_numbers.hpp"
#include "accounts/api/routes.hpp"
#include "accounts/projections/account_queries.hpp"
#include "blocks/blocks.hpp"
#include "core/text.hpp"
#include "people/avatar_path.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::accounts {
namespace {

using http::Request;
using http::Response;
using nlohmann::json;

// Ids in a profile; anyone who has more projects is read page by page in projects.
constexpr int kProjectIdsMax = 100;

struct FoundProfile {
  std::optional<AccountRow> account;
  ProjectList projects;
  ProfileNumbers numbers;
};

json avatar_preview(const ApiPorts& ports, const core::AccountId& owner, const Profile& profile) {
  if (!profile.avatar) return nullptr;
  return uploads::preview_json(ports.images, {owner, *profile.avatar});
}

json to_json(const ApiPorts& ports, const core::AccountId& reader, const core::AccountId& owner,
             const Profile& profile, const FoundProfile& found) {
  const bool is_own = reader == owner;
  const ProfileNumbers& numbers = found.numbers;
  const json avatar = avatar_json(profile);
  json shown = {
      {"user_id", profile.user_id},
      {"real_name", profile.real_name},
      {"department", profile.department},
      {"bio", profile.bio},
      {"avatar", avatar},
      {"avatar_link", avatar.is_null()
                          ? avatar
                          : json(ports.links.to(avatar.get_ref<const std::string&>(), reader))},
      {"avatar_preview", avatar_preview(ports, owner, profile)},
      {"registered_at", core::format_iso8601(found.account->registered_at)},
      {"project_ids", found.projects.newest},
      {"project_count", found.projects.count},
      {"visits", is_own || profile.shows_visits ? visits_json(numbers.visits) : json()}};
  shown.update(scores_json(numbers.score, ports.campus.day_of(ports.clock.now())));
  return shown;
}

void record_visit(const ApiPorts& ports, const Request& request, const core::AccountId& owner) {
  const core::Timestamp now = ports.clock.now();
  ports.views.offer({{request.account(), owner, ports.campus.day_of(now)},
                     now,
                     {request.correlation_id, request.request_id, request.traceparent}});
}

Response answer_profile(const ApiPorts& ports, const Request& request,
                        const core::AccountId& owner) {
  const core::Day today = ports.campus.day_of(ports.clock.now());
  const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
    FoundProfile profile{find_open_account(transaction, owner), {}, {}};
    // Across a block there is nobody.
    if (blocks::are_apart(transaction, request.account(), owner)) profile.account.reset();
    if (profile.account) {
      profile.projects = find_projects(transaction, owner, kProjectIdsMax);
      profile.numbers = find_numbers(transaction, owner, today);
    }
    return profile;
  }));
  if (!found.account) return to_response(http::no_such_person());
  const auto opened = core::value_of(ports.profiles.open(owner, found.account->sealed_profile));
  if (!opened) return to_response(http::no_such_person());
  record_visit(ports, request, owner);
  return Response::json(200, to_json(ports, request.account(), owner, *opened, found))
      .header("ETag", http::entity_tag(found.account->version));
}

Response show_profile(const ApiPorts& ports, const Request& request) {
  const auto user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) return to_response(http::no_such_person());
  const core::AccountId owner = ports.account_ids.of(user_id);
  const auto answer = [&] { return answer_profile(ports, request, owner); };
  if (request.account() == owner) {
    // Whoever has earned something sees it at once, and waits for it; others do not.
    return http::answer_query(request,
                              {ports.accounts_applied, ports.visits_applied, ports.projects_applied,
                               ports.scores_applied},
                              http::WhenBehind::Stale, answer);
  }
  return http::answer_query(request,
                            {ports.accounts_applied, ports.projects_applied, ports.blocks_applied},
                            http::WhenBehind::Stale, answer);
}

}  // namespace

void add_profile_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/profiles/{user_id}", http::Access::SignedIn,
             [ports](const Request& request) { return show_profile(ports, request); });
}

}  // namespace tideline::accounts
