// GET /v1/moments/search?query=
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/search/search_query.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/search/search_queries.hpp"
#include "http/messages/cursor.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kMomentSearch = "moment-search";
constexpr core::MomentId kAboveAll{std::numeric_limits<std::uint64_t>::max()};

struct FoundMoments {
  std::vector<Json> items;
  core::MomentId looked_to;  // what is below it has not been looked at
  bool all = false;
};

// Adds those whose text is as it is looked for: the index tells of words, and may be of an edit
// before or after the one that the viewer is to see.
void add_matching_moments(const ApiPorts& ports, const Request& request, const search::Query& query,
                          const std::vector<TimelineEntry>& entries, FoundMoments& found) {
  std::string items = "[";
  append_moment_items(ports, request, entries, items);
  for (Json& item : Json::parse(items + "]")) {
    const auto& content = item["content"];
    if (!content.is_string()) continue;
    const auto words =
        search::words_of(content.get_ref<const std::string&>(), search::Match::Words);
    if (query.matches(words)) found.items.push_back(std::move(item));
  }
}

FoundMoments find_moments(const ApiPorts& ports, const Request& request, const search::Query& query,
                          core::MomentId bound, std::size_t limit) {
  if (query.is_empty()) return {{}, bound, true};
  const WantedWords wanted = wanted_words(ports, query);
  const auto authors = ports.reader.confided_by(request.account());
  FoundMoments found{{}, bound, false};
  for (std::size_t looked = 0; looked < kCandidatesMax && found.items.size() <= limit;) {
    const auto candidates = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return find_by_words(transaction, wanted, authors, found.looked_to, kCandidatesAtOnce);
    }));
    const auto visible = ports.reader.find_all_visible(candidates.ids, request.account());
    add_matching_moments(ports, request, query, visible, found);
    if (!candidates.ids.empty()) found.looked_to = candidates.ids.back();
    found.all = candidates.all;
    if (found.all) break;
    looked += candidates.ids.size();
  }
  return found;
}

Response handle_moment_search(const ApiPorts& ports, const Request& request) {
  const auto wanted =
      http::value_of(http::read_page(request, kMomentSearch, core::parse_moment_id));
  refuse_before(wanted);
  const auto query = read_search(request);
  const auto limit = static_cast<std::size_t>(wanted.limit);
  return answer_private(ports, request, ports.search_applied, [&] {
    auto found = find_moments(ports, request, query, wanted.after.value_or(kAboveAll), limit);
    http::Page page;
    if (found.items.size() > limit) {
      found.items.resize(limit);
      page.after = found.items.back()["id"].get<std::string>();
    } else if (!found.all) {
      page.after = core::to_string(found.looked_to);
    }
    page.items = std::move(found.items);
    return http::page_response(kMomentSearch, std::move(page));
  });
}

}  // namespace

void add_moment_search(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/moments/search", http::Access::SignedIn,
             [ports](const Request& request) { return handle_moment_search(ports, request); });
}

}  // namespace tideline::feed
