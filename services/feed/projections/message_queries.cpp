#include "feed/projections/message_queries.hpp"

#include <algorithm>
#include <map>

namespace tideline::feed {
namespace {

using eventsourcing::Params;
using eventsourcing::Transaction;

constexpr const char* kMicroseconds = "(extract(epoch FROM sent_at) * 1000000)::bigint";

// Keys on one side of `bound` (or from that end of the list), nearest first.
std::vector<MessageKey> read_keys(Transaction& transaction, const MessageList& list,
                                  const std::optional<MessageKey>& bound, bool older,
                                  std::size_t limit) {
  Params params{list.owner};
  const auto parameter = [&](eventsourcing::Param value) {
    params.push_back(std::move(value));
    return "$" + std::to_string(params.size());
  };
  std::string sql =
      std::string("SELECT ") + kMicroseconds + ", sender FROM message_entry WHERE owner = $1::uuid";
  if (list.box) sql += " AND box = " + parameter(static_cast<int>(*list.box)) + "::smallint";
  if (list.group_id) sql += " AND group_id = " + parameter(*list.group_id) + "::text";
  if (list.day) sql += " AND day = " + parameter(*list.day) + "::date";
  if (bound) {
    sql += std::string(" AND (day, sent_at, sender) ") + (older ? "<" : ">") + " (" +
           parameter(core::utc_day(bound->sent_at)) + "::date, " + parameter(bound->sent_at) +
           "::timestamptz, " + parameter(bound->sender) + "::uuid)";
  }
  const std::string direction = older ? " DESC" : "";
  sql += " ORDER BY day" + direction + ", sent_at" + direction + ", sender" + direction +
         " LIMIT " + parameter(limit) + "::bigint";
  std::vector<MessageKey> keys;
  for (const auto& row : transaction.execute(sql, params)) {
    keys.push_back({row.timestamp_us(0), row.account(1)});
  }
  return keys;
}

MessageRow to_message(const eventsourcing::Row& row) {
  MessageRow message;
  message.key = {row.timestamp_us(0), row.account(1)};
  if (!row.is_null(2)) message.recipient = row.account(2);
  message.group_id = row.nullable_text(3);
  message.sealed_text = row.text(4);
  return message;
}

std::vector<MessageRow> read_copies(Transaction& transaction, const std::vector<MessageKey>& keys) {
  if (keys.empty()) return {};
  std::vector<core::AccountId> senders;
  std::vector<core::Timestamp> times;
  for (const MessageKey& key : keys) {
    senders.push_back(key.sender);
    times.push_back(key.sent_at);
  }
  const std::string sql = std::string("SELECT ") + kMicroseconds +
                          ", sender, recipient, group_id, text"
                          " FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (sender, sent_at)"
                          " JOIN message USING (sender, sent_at)";
  std::map<MessageKey, MessageRow> by_key;
  for (const auto& row : transaction.execute(sql, {senders, times})) {
    MessageRow message = to_message(row);
    const MessageKey key = message.key;
    by_key.emplace(key, std::move(message));
  }
  std::vector<MessageRow> messages;
  for (const MessageKey& key : keys) {
    const auto found = by_key.find(key);
    if (found != by_key.end()) messages.push_back(std::move(found->second));
  }
  return messages;
}

}  // namespace

MessagePage read_messages(Transaction& transaction, const MessageList& list,
                          const PlaceInBox& place, std::size_t limit) {
  const bool older = !place.newer_than;
  const auto& bound = older ? place.older_than : place.newer_than;
  auto keys = read_keys(transaction, list, bound, older, limit + 1);
  const bool more = keys.size() > limit;
  if (more) keys.pop_back();
  if (!older) std::reverse(keys.begin(), keys.end());

  MessagePage page;
  (older ? page.has_older : page.has_newer) = more;
  if (keys.empty()) return page;
  const auto& other_end = older ? keys.front() : keys.back();
  (older ? page.has_newer : page.has_older) =
      bound && !read_keys(transaction, list, other_end, !older, 1).empty();
  page.messages = read_copies(transaction, keys);
  return page;
}

std::optional<MessageRow> find_message(Transaction& transaction, const MessageKey& key,
                                       const core::AccountId& reader) {
  const auto entries = transaction.execute(
      "SELECT 1 FROM message_entry WHERE owner = $1::uuid AND box = ANY ('{0,1}'::smallint[])"
      " AND day = $2::date AND sent_at = $3::timestamptz AND sender = $4::uuid",
      {reader, core::utc_day(key.sent_at), key.sent_at, key.sender});
  if (entries.empty()) return std::nullopt;
  auto messages = read_copies(transaction, {key});
  if (messages.empty()) return std::nullopt;
  return std::move(messages.front());
}

}  // namespace tideline::feed
