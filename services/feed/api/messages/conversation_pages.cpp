// GET /v1/messages/conversations, /conversations/{user_id}
//
// The list merges two: those with whom the caller exchanges messages, from their table, and the
// groups that he is in, of which there are few. Among conversations of one time groups come first.
#include <algorithm>
#include <optional>
#include <tuple>

#include "core/text.hpp"
#include "feed/api/messages/message_access.hpp"
#include "feed/api/messages/message_items.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/conversation_queries.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kConversations = "conversations";
// Those that he joined last, if he is in more.
constexpr std::size_t kGroupsMax = 500;
constexpr std::size_t kUnreadOfTalkMax = 1000;

// One of both.
struct Talk {
  std::optional<std::string> group_id;
  std::optional<core::AccountId> peer;
  MessageKey last;
  std::size_t unread = 0;
  bool last_is_read = false;
};

// Where the page before ended.
struct TalkPlace {
  core::Timestamp last_at;
  std::optional<std::string> group_id;
  std::optional<core::AccountId> peer;
};

std::string conversation_text(const Talk& entry) {
  return core::format_iso8601(entry.last.sent_at) + "/" +
         (entry.group_id ? "g" + *entry.group_id : "p" + entry.peer->to_string());
}

std::optional<TalkPlace> parse_conversation(std::string_view text) {
  const auto mark = text.find('/');
  if (mark == std::string_view::npos || mark + 1 == text.size()) return std::nullopt;
  const auto last_at = core::parse_iso8601(text.substr(0, mark));
  const std::string_view id = text.substr(mark + 2);
  if (!last_at) return std::nullopt;
  if (text[mark + 1] == 'g') return TalkPlace{*last_at, std::string(id), std::nullopt};
  const auto peer = core::AccountId::parse(id);
  if (text[mark + 1] != 'p' || !peer) return std::nullopt;
  return TalkPlace{*last_at, std::nullopt, peer};
}

bool comes_before(const Talk& one, const Talk& other) {
  if (one.last.sent_at != other.last.sent_at) return one.last.sent_at > other.last.sent_at;
  // nullopt is below every id.
  return std::tie(one.group_id, one.peer) > std::tie(other.group_id, other.peer);
}

std::vector<Talk> groups_after(sql::Transaction& transaction, const GroupReader& reader,
                               const std::vector<GroupMessages>& groups,
                               const std::optional<TalkPlace>& place) {
  std::vector<Talk> entries;
  for (const NewestOfGroup& newest : newest_of_groups(transaction, reader, groups)) {
    const Talk entry{newest.group_id, std::nullopt, newest.key};
    if (!place || comes_before({place->group_id, place->peer, {place->last_at, {}}}, entry)) {
      entries.push_back(entry);
    }
  }
  return entries;
}

std::vector<Talk> people_after(sql::Transaction& transaction, const core::AccountId& owner,
                               const std::optional<TalkPlace>& place, std::size_t limit) {
  std::optional<AfterConversation> after;
  if (place) after = {place->last_at, place->peer};
  std::vector<Talk> entries;
  for (const auto& [peer, last] : list_conversations(transaction, owner, after, limit)) {
    entries.push_back({std::nullopt, peer, last});
  }
  return entries;
}

void count_unread_of(sql::Transaction& transaction, const GroupReader& reader,
                     const std::vector<GroupMessages>& groups, std::vector<Talk>& entries) {
  std::vector<core::AccountId> peers;
  std::vector<MessageKey> received;
  std::vector<GroupMessages> shown;
  for (const Talk& entry : entries) {
    if (entry.peer) peers.push_back(*entry.peer);
    if (entry.peer) received.push_back(entry.last);
    if (!entry.group_id) continue;
    shown.push_back(*std::ranges::find(groups, *entry.group_id, &GroupMessages::group_id));
  }
  const auto of_peers = count_unread_of_peers(transaction, reader.account, peers, kUnreadOfTalkMax);
  const auto of_groups = count_unread_of_groups(transaction, reader, shown, kUnreadOfTalkMax);
  auto next_peer = of_peers.begin();
  auto next_group = of_groups.begin();
  const auto in_inbox = find_received(transaction, reader.account, received);
  for (Talk& entry : entries) {
    bool is_read = false;
    if (entry.peer) {
      entry.unread = *next_peer++;
      const auto found = std::ranges::find(in_inbox, entry.last, &ReceivedMessage::key);
      is_read = found != in_inbox.end() && found->read;
    } else {
      entry.unread = next_group->count;
      is_read = entry.last <= next_group++->mark;
    }
    entry.last_is_read = is_read || entry.last.sender == reader.account;
  }
}

struct FoundTalks {
  std::vector<Talk> entries;
  std::vector<MessageRow> messages;  // the last one of each
  bool more = false;
};

FoundTalks find_talks(sql::Transaction& transaction, const GroupReader& reader,
                      const std::vector<GroupMessages>& groups,
                      const std::optional<TalkPlace>& place, std::size_t limit) {
  FoundTalks found;
  found.entries = groups_after(transaction, reader, groups, place);
  for (Talk& entry : people_after(transaction, reader.account, place, limit + 1)) {
    found.entries.push_back(std::move(entry));
  }
  std::ranges::sort(found.entries, comes_before);
  found.more = found.entries.size() > limit;
  if (found.more) found.entries.resize(limit);
  count_unread_of(transaction, reader, groups, found.entries);
  std::vector<ReceivedMessage> last;
  for (const Talk& entry : found.entries) last.push_back({entry.last, entry.last_is_read});
  found.messages = read_copies(transaction, last);
  return found;
}

Json conversation_items(const ApiPorts& ports, const core::AccountId& reader,
                        const FoundTalks& found) {
  std::vector<core::AccountId> peers;
  for (const Talk& entry : found.entries) {
    if (entry.peer) peers.push_back(*entry.peer);
  }
  const auto people = core::value_of(ports.database.read_each_alone(
      [&](sql::Transaction& transaction) { return ports.people.find_many(transaction, peers); }));
  const Json messages = message_items(ports, reader, found.messages);
  Json items = Json::array();
  for (std::size_t i = 0; i < found.entries.size(); ++i) {
    const Talk& entry = found.entries[i];
    Json item{{"with", nullptr},
              {"group_id", nullptr},
              {"last", messages.at(i)},
              {"unread", entry.unread}};
    if (entry.peer) item["with"] = person_json(people, *entry.peer);
    if (entry.group_id) item["group_id"] = *entry.group_id;
    items.push_back(std::move(item));
  }
  return items;
}

Response handle_conversations(const ApiPorts& ports, const Request& request) {
  if (request.query("before")) {
    return to_response(http::malformed("conversations are read from the newest on"));
  }
  const auto wanted = http::value_of(http::read_page(request, kConversations, parse_conversation));
  return answer_private(ports, request, ports.tables_applied, [&]() -> Response {
    const GroupReader reader = group_reader(ports, request.account());
    std::vector<GroupMessages> groups;
    for (auto& [id, since] : ports.reader.groups_of(request.account(), kGroupsMax)) {
      groups.push_back({id, since});
    }
    const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return find_talks(transaction, reader, groups, wanted.after,
                        static_cast<std::size_t>(wanted.limit));
    }));
    http::Page answer;
    answer.items = conversation_items(ports, request.account(), found);
    if (found.more) answer.after = conversation_text(found.entries.back());
    return http::page_response(kConversations, std::move(answer));
  });
}

Response handle_thread(const ApiPorts& ports, const Request& request) {
  constexpr std::string_view kThread = "thread";
  const std::string_view user_id = request.param("user_id");
  if (!core::is_user_id(user_id)) http::refuse(http::no_such_person());
  const core::AccountId peer = ports.account_ids.of(user_id);
  const auto wanted = http::value_of(read_message_place(request, kThread));
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        const auto page = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return read_thread(transaction, request.account(), peer, {wanted.after, wanted.before},
                             static_cast<std::size_t>(wanted.limit));
        }));
        return message_page_response(ports, request.account(), kThread, page);
      });
}

}  // namespace

void add_conversation_queries(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  router.add(http::Method::Get, "/v1/messages/conversations", Access::SignedIn,
             [ports](const Request& request) { return handle_conversations(ports, request); });
  router.add(http::Method::Get, "/v1/messages/conversations/{user_id}", Access::SignedIn,
             [ports](const Request& request) { return handle_thread(ports, request); });
}

}  // namespace tideline::feed
