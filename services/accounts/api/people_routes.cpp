#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "accounts/api/routes.hpp"
#include "accounts/projections/person_search.hpp"
#include "http/messages/cursor.hpp"
#include "http/messages/json.hpp"
#include "people/avatar_path.hpp"

namespace tideline::accounts {
namespace {

using http::Request;
using http::Response;
using nlohmann::json;

constexpr std::string_view kList = "people";
// What has the terms is looked at again, so many at once; a page looks at so many at most.
constexpr int kCandidates = 100;
constexpr int kLooksMax = 5;

search::Query read_query(const Request& request) {
  const auto text = request.query("query");
  const auto query = text ? search::Query::parse(*text, search::Match::Prefixes) : std::nullopt;
  if (!query) http::refuse(http::malformed(std::string(search::Query::kRule)));
  return *query;
}

json person_json(const ApiPorts& ports, const core::AccountId& reader,
                 const PublicProfile& profile) {
  json shown{{"user_id", profile.user_id},
             {"real_name", profile.real_name},
             {"department", profile.department},
             {"avatar", nullptr},
             {"avatar_link", nullptr}};
  if (profile.avatar) {
    const std::string path = people::avatar_path(profile.user_id, *profile.avatar);
    shown["avatar"] = path;
    shown["avatar_link"] = ports.links.to(path, reader);
  }
  return shown;
}

// One look: adds who matches, up to the page's limit. Where the next one begins; nullopt: that was
// all.
std::optional<core::AccountId> look(const ApiPorts& ports, const Request& request,
                                    const search::Query& query,
                                    const std::optional<core::AccountId>& after, int limit,
                                    json& items) {
  const auto terms = ports.person_terms.of(query.terms());
  const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
    return find_people(transaction, terms, request.account(), after, kCandidates);
  }));
  std::vector<SealedProfile> sealed;
  for (const FoundPerson& person : found) sealed.push_back({person.account, person.sealed_profile});
  const auto opened = core::value_of(ports.profiles.open_public(sealed));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (static_cast<int>(items.size()) == limit) return found[i - 1].account;
    if (!opened[i] || !query.matches(words_of(*opened[i]))) continue;
    items.push_back(person_json(ports, request.account(), *opened[i]));
  }
  if (found.size() < static_cast<std::size_t>(kCandidates)) return std::nullopt;
  return found.back().account;
}

Response search_people(const ApiPorts& ports, const Request& request) {
  const auto query = read_query(request);
  const auto wanted = http::value_of(http::read_page(request, kList, &core::AccountId::parse));
  if (wanted.before) http::refuse(http::malformed("people are read in one direction"));
  return http::answer_query(
      request, {ports.accounts_applied, ports.search_applied, ports.blocks_applied},
      http::WhenBehind::Stale, [&] {
        http::Page page;
        std::optional<core::AccountId> after = wanted.after;
        for (int looks = 0; looks < kLooksMax && !query.is_empty(); ++looks) {
          after = look(ports, request, query, after, wanted.limit, page.items);
          if (!after || static_cast<int>(page.items.size()) == wanted.limit) break;
        }
        if (after && !query.is_empty()) page.after = after->to_string();
        return http::page_response(kList, std::move(page));
      });
}

}  // namespace

void add_people_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/people", http::Access::SignedIn,
             [ports](const Request& request) { return search_people(ports, request); });
}

}  // namespace tideline::accounts
