#include <utility>

#include "accounts/api/routes.hpp"
#include "accounts/projections/account_queries.hpp"
#include "accounts/projections/score_queries.hpp"
#include "blocks/blocks.hpp"
#include "core/text.hpp"

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
  std::optional<PublishedScore> score;
};

json or_null(const std::optional<std::int64_t>& number) {
  return number ? json(*number) : json(nullptr);
}

json to_json(const Profile& profile, const FoundProfile& found, core::Day today) {
  const PublishedScore score = found.score.value_or(PublishedScore{});
  return {{"user_id", profile.user_id},
          {"real_name", profile.real_name},
          {"department", profile.department},
          {"registered_at", core::format_iso8601(found.account->registered_at)},
          {"project_ids", found.projects.newest},
          {"project_count", found.projects.count},
          {"points", or_null(score.points)},
          {"level", or_null(score.level)},
          {"historyscore", score.contributions.value_or(0)},
          {"currentscore", current_score(score, today)},
          {"rank", or_null(score.rank)},
          {"rank_as_of", score.rank ? json(core::format_day(score.as_of)) : json(nullptr)}};
}

void record_visit(const ApiPorts& ports, const Request& request, const core::AccountId& owner) {
  const core::Timestamp now = ports.clock.now();
  ports.views.offer({{request.account(), owner, ports.campus.day_of(now)},
                     now,
                     {request.correlation_id, request.request_id, request.traceparent}});
}

Response answer_profile(const ApiPorts& ports, const Request& request,
                        const core::AccountId& owner) {
  const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
    FoundProfile profile{find_open_account(transaction, owner), {}, std::nullopt};
    // Across a block there is nobody.
    if (blocks::are_apart(transaction, request.account(), owner)) profile.account.reset();
    if (profile.account) {
      profile.projects = find_projects(transaction, owner, kProjectIdsMax);
      profile.score = find_score(transaction, owner);
    }
    return profile;
  }));
  if (!found.account) return to_response(http::no_such_person());
  const auto opened = core::value_of(ports.profiles.open(owner, found.account->sealed_profile));
  if (!opened) return to_response(http::no_such_person());
  record_visit(ports, request, owner);
  const core::Day today = ports.campus.day_of(ports.clock.now());
  return Response::json(200, to_json(*opened, found, today))
      .header("ETag", http::entity_tag(found.account->version));
}

Response show_profile(const ApiPorts& ports, const Request& request) {
  const auto user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) return to_response(http::no_such_person());
  const core::AccountId owner = ports.account_ids.of(user_id);
  return http::answer_query(
      request, {ports.accounts_applied, ports.projects_applied, ports.blocks_applied},
      http::WhenBehind::Stale, [&] { return answer_profile(ports, request, owner); });
}

}  // namespace

void add_profile_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/profiles/{user_id}", http::Access::SignedIn,
             [ports](const Request& request) { return show_profile(ports, request); });
}

}  // namespace tideline::accounts
