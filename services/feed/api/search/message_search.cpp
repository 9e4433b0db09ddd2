// GET /v1/messages/search?query=
#include "feed/api/messages/message_access.hpp"
#include "feed/api/messages/message_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/search/search_query.hpp"
#include "feed/api/timelines/private_reads.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kMessageSearch = "message-search";
// Of the groups that he is in, those that he joined last.
constexpr std::size_t kGroupsMax = 500;

struct FoundMessages {
  std::vector<MessageRow> messages;  // as the reader may read them
  std::vector<Json> items;
  std::optional<MessageKey> looked_to;  // what is before it has not been looked at
  bool all = false;
};

// Those of `keys` that the reader may read.
std::vector<MessageRow> read_found(const ApiPorts& ports, sql::Transaction& transaction,
                                   const core::AccountId& reader,
                                   const std::vector<MessageKey>& keys) {
  std::vector<ReceivedMessage> entries;
  for (const MessageKey& key : keys) entries.push_back({key, false});
  return find_readable(ports, transaction, read_copies(transaction, entries), reader);
}

void add_matching_messages(const ApiPorts& ports, const core::AccountId& reader,
                           const search::Query& query, std::vector<MessageRow> messages,
                           FoundMessages& found) {
  Json items = message_items(ports, reader, messages);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& text = items[i]["text"];
    if (!text.is_string()) continue;
    const auto words = search::words_of(text.get_ref<const std::string&>(), search::Match::Words);
    if (!query.matches(words)) continue;
    found.messages.push_back(std::move(messages[i]));
    found.items.push_back(std::move(items[i]));
  }
}

FoundMessages find_messages(const ApiPorts& ports, const core::AccountId& reader,
                            const search::Query& query, std::optional<MessageKey> bound,
                            std::size_t limit) {
  if (query.is_empty()) return {{}, {}, bound, true};
  const WantedWords wanted = wanted_words(ports, query);
  std::vector<std::string> groups;
  for (auto& group : ports.reader.groups_of(reader, kGroupsMax)) {
    groups.push_back(std::move(group.id));
  }
  FoundMessages found{{}, {}, std::move(bound), false};
  for (std::size_t looked = 0; looked < kCandidatesMax && found.items.size() <= limit;) {
    std::vector<MessageKey> keys;
    auto messages = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      keys = find_messages_by_words(transaction, wanted, reader, groups, found.looked_to,
                                    kCandidatesAtOnce);
      return read_found(ports, transaction, reader, keys);
    }));
    add_matching_messages(ports, reader, query, std::move(messages), found);
    if (!keys.empty()) found.looked_to = keys.back();
    found.all = keys.size() < kCandidatesAtOnce;
    if (found.all) break;
    looked += keys.size();
  }
  return found;
}

Response handle_message_search(const ApiPorts& ports, const Request& request) {
  const auto wanted = http::value_of(read_message_place(request, kMessageSearch));
  refuse_before(wanted);
  const auto query = read_search(request);
  const auto limit = static_cast<std::size_t>(wanted.limit);
  return answer_private(ports, request, ports.search_applied, [&] {
    auto found = find_messages(ports, request.account(), query, wanted.after, limit);
    http::Page page;
    if (found.items.size() > limit) {
      found.items.resize(limit);
      page.after = message_place_text(found.messages[limit - 1].key);
    } else if (!found.all) {
      page.after = message_place_text(found.looked_to.value());
    }
    page.items = std::move(found.items);
    return http::page_response(kMessageSearch, std::move(page));
  });
}

}  // namespace

void add_message_search(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/messages/search", http::Access::SignedIn,
             [ports](const Request& request) { return handle_message_search(ports, request); });
}

}  // namespace tideline::feed
