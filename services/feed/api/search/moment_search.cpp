// GET /v1/moments/search?query=, GET /v1/moments/topic?name=, GET /v1/moments/topics
#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "core/text.hpp"
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/search/search_query.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/search/search_queries.hpp"
#include "feed/projections/search/topic_queries.hpp"
#include "http/messages/cursor.hpp"
#include "search/topics.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kMomentSearch = "moment-search";
constexpr std::string_view kTopicPage = "topic";
constexpr std::size_t kTrendsShown = 20;
// Of so many the viewer may see some moment, as a rule.
constexpr std::size_t kTrendsLookedAt = 2 * kTrendsShown;
constexpr core::MomentId kAboveAll{std::numeric_limits<std::uint64_t>::max()};

// What a text must have: by the index, and when it is looked at.
struct WantedMoments {
  WantedWords words;  // none: nothing has them
  std::function<bool(const std::string& content)> matches;
};

struct FoundMoments {
  std::vector<Json> items;
  core::MomentId looked_to;  // what is below it has not been looked at
  bool all = false;
};

// Adds those whose text is as it is looked for: the index tells of words, and may be of an edit
// before or after the one that the viewer is to see.
void add_matching_moments(const ApiPorts& ports, const Request& request,
                          const WantedMoments& wanted, const std::vector<TimelineEntry>& entries,
                          FoundMoments& found) {
  std::string items = "[";
  append_moment_items(ports, request, entries, items);
  for (Json& item : Json::parse(items + "]")) {
    const auto& content = item["content"];
    if (!content.is_string()) continue;
    const bool matches = wanted.matches(content.get_ref<const std::string&>());
    if (matches) found.items.push_back(std::move(item));
  }
}

FoundMoments find_moments(const ApiPorts& ports, const Request& request,
                          const WantedMoments& wanted, core::MomentId bound, std::size_t limit) {
  if (wanted.words.keys.empty()) return {{}, bound, true};
  const auto authors = ports.reader.confided_by(request.account());
  FoundMoments found{{}, bound, false};
  for (std::size_t looked = 0; looked < kCandidatesMax && found.items.size() <= limit;) {
    const auto candidates = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return find_by_words(transaction, wanted.words, authors, found.looked_to, kCandidatesAtOnce);
    }));
    const auto visible = ports.reader.find_all_visible(candidates.ids, request.account());
    add_matching_moments(ports, request, wanted, visible, found);
    if (!candidates.ids.empty()) found.looked_to = candidates.ids.back();
    found.all = candidates.all;
    if (found.all) break;
    looked += candidates.ids.size();
  }
  return found;
}

Response answer_found(const ApiPorts& ports, const Request& request, std::string_view kind,
                      const WantedMoments& wanted) {
  const auto page_of = http::value_of(http::read_page(request, kind, core::parse_moment_id));
  refuse_before(page_of);
  const auto limit = static_cast<std::size_t>(page_of.limit);
  return answer_private(ports, request, ports.search_applied, [&] {
    auto found = find_moments(ports, request, wanted, page_of.after.value_or(kAboveAll), limit);
    http::Page page;
    if (found.items.size() > limit) {
      found.items.resize(limit);
      page.after = found.items.back()["id"].get<std::string>();
    } else if (!found.all) {
      page.after = core::to_string(found.looked_to);
    }
    page.items = std::move(found.items);
    return http::page_response(kind, std::move(page));
  });
}

Response handle_moment_search(const ApiPorts& ports, const Request& request) {
  const auto query = read_search(request);
  const WantedMoments wanted{
      query.is_empty() ? WantedWords{} : wanted_words(ports, query),
      [&](const std::string& content) {
        return query.matches(search::words_of(content, search::Match::Words));
      }};
  return answer_found(ports, request, kMomentSearch, wanted);
}

// The topic of a text that has this key; nullptr: none.
const search::Topic* find_topic(const std::vector<search::Topic>& topics, std::string_view key) {
  const auto found = std::ranges::find(topics, key, &search::Topic::key);
  return found == topics.end() ? nullptr : &*found;
}

// What can be no topic finds nothing, as a query without a word does.
Response handle_topic(const ApiPorts& ports, const Request& request) {
  const auto name = request.query("name");
  const auto length = name ? core::code_points(*name) : std::nullopt;
  if (!length || *length == 0 || *length > search::kTopicLength + 1) {
    http::refuse(http::malformed("name is a topic of at most 50 characters"));
  }
  const auto key = search::topic_key(*name);
  WantedMoments wanted;
  if (key) {
    wanted.words.keys = {topic_keys(ports.cipher).of(*key)};
    wanted.matches = [&](const std::string& content) {
      return find_topic(search::topics_of(content), *key) != nullptr;
    };
  }
  return answer_found(ports, request, kTopicPage, wanted);
}

// Of each trend the newest moment that the viewer may see, of as many trends as are shown: one that
// he may see nothing of is not named to him.
std::vector<TimelineEntry> moments_of(const ApiPorts& ports, const core::AccountId& viewer,
                                      const std::vector<Trend>& trends) {
  std::vector<core::MomentId> ids;
  for (const Trend& trend : trends) {
    ids.insert(ids.end(), trend.newest.begin(), trend.newest.end());
  }
  std::map<core::MomentId, TimelineEntry> visible;
  for (const TimelineEntry& entry : ports.reader.find_all_visible(ids, viewer)) {
    visible.emplace(entry.id, entry);
  }
  std::map<core::MomentId, TimelineEntry> chosen;  // two trends may have the same
  std::size_t named = 0;
  for (const Trend& trend : trends) {
    const auto newest =
        std::ranges::find_if(trend.newest, [&](core::MomentId id) { return visible.contains(id); });
    if (newest == trend.newest.end()) continue;
    if (named++ == kTrendsShown) break;
    chosen.emplace(*newest, visible.at(*newest));
  }
  std::vector<TimelineEntry> entries;
  for (const auto& [id, entry] : chosen) entries.push_back(entry);
  return entries;
}

// How these moments write their topics.
std::map<std::int64_t, std::string> topics_written_in(const ApiPorts& ports, const Request& request,
                                                      const std::vector<TimelineEntry>& moments) {
  std::string items = "[";
  append_moment_items(ports, request, moments, items);
  const search::TermKeys keys = topic_keys(ports.cipher);
  std::map<std::int64_t, std::string> names;
  const Json shown = Json::parse(items + "]");
  for (const Json& item : shown) {
    if (!item["content"].is_string()) continue;
    for (const auto& topic : search::topics_of(item["content"].get_ref<const std::string&>())) {
      names.emplace(keys.of(topic.key), topic.written);
    }
  }
  return names;
}

Response handle_topics(const ApiPorts& ports, const Request& request) {
  return answer_private(ports, request, ports.search_applied, [&] {
    const auto trends = core::value_of(ports.database.read(
        [&](sql::Transaction& transaction) { return trending(transaction, kTrendsLookedAt); }));
    const auto names =
        topics_written_in(ports, request, moments_of(ports, request.account(), trends));
    Json items = Json::array();
    for (const Trend& trend : trends) {
      const auto name = names.find(trend.topic);
      if (name == names.end() || items.size() == kTrendsShown) continue;
      items.push_back({{"topic", name->second}});
    }
    return Response::json(200, {{"items", std::move(items)}});
  });
}

}  // namespace

void add_moment_search(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/moments/search", http::Access::SignedIn,
             [ports](const Request& request) { return handle_moment_search(ports, request); });
  router.add(http::Method::Get, "/v1/moments/topic", http::Access::SignedIn,
             [ports](const Request& request) { return handle_topic(ports, request); });
  router.add(http::Method::Get, "/v1/moments/topics", http::Access::SignedIn,
             [ports](const Request& request) { return handle_topics(ports, request); });
}

}  // namespace tideline::feed
