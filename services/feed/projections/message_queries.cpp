#include "feed/projections/message_queries.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace tideline::feed {
namespace {

using sql::Params;
using sql::Transaction;

constexpr const char* kMicroseconds = "(extract(epoch FROM sent_at) * 1000000)::bigint";

using Entries = std::vector<ReceivedMessage>;

// Entries on one side of `bound` (or from that end of the list), nearest first.
Entries read_entries(Transaction& transaction, const MessageList& list,
                     const std::optional<MessageKey>& bound, bool older, std::size_t limit) {
  Params params{list.owner, static_cast<int>(list.box)};
  const auto parameter = [&](sql::Param value) {
    params.push_back(std::move(value));
    return "$" + std::to_string(params.size());
  };
  std::string sql = std::string("SELECT ") + kMicroseconds +
                    ", sender, read FROM message_entry"
                    " WHERE owner = $1::uuid AND box = $2::smallint";
  if (list.box != MessageBox::Sent) sql += " AND group_id IS NULL";
  if (list.day) sql += " AND day = " + parameter(*list.day) + "::date";
  if (bound) {
    sql += std::string(" AND (day, sent_at, sender) ") + (older ? "<" : ">") + " (" +
           parameter(core::utc_day(bound->sent_at)) + "::date, " + parameter(bound->sent_at) +
           "::timestamptz, " + parameter(bound->sender) + "::uuid)";
  }
  const std::string direction = older ? " DESC" : "";
  sql += " ORDER BY day" + direction + ", sent_at" + direction + ", sender" + direction +
         " LIMIT " + parameter(limit) + "::bigint";
  return ReceivedMessage::all_of(transaction.execute(sql, params));
}

MessageRow to_message(const sql::Row& row) {
  MessageRow message;
  message.key = {row.timestamp_us(0), row.account(1)};
  if (!row.is_null(2)) message.recipient = row.account(2);
  message.group_id = row.nullable_text(3);
  message.sealed_text = row.text(4);
  message.images = nlohmann::json::parse(row.text(5)).get<std::vector<std::string>>();
  message.recalled = row.boolean(6);
  return message;
}

struct KeyColumns {
  std::vector<core::AccountId> senders;
  std::vector<core::Timestamp> times;

  void add(const MessageKey& key) {
    senders.push_back(key.sender);
    times.push_back(key.sent_at);
  }
};

// Those of the messages of which the owner has an entry that is so.
Entries find_where(Transaction& transaction, const core::AccountId& owner,
                   const std::vector<MessageKey>& keys, std::string_view condition) {
  KeyColumns wanted;
  std::vector<core::Day> days;
  for (const MessageKey& key : keys) {
    wanted.add(key);
    days.push_back(core::utc_day(key.sent_at));
  }
  std::string sql =
      std::string("SELECT ") + kMicroseconds +
      ", sender, read FROM unnest($2::date[], $3::timestamptz[], $4::uuid[])"
      " AS wanted (day, sent_at, sender) JOIN message_entry USING (day, sent_at, sender)"
      " WHERE owner = $1::uuid AND ";
  sql += condition;
  return ReceivedMessage::all_of(
      transaction.execute(sql, {owner, days, wanted.times, wanted.senders}));
}

}  // namespace

std::vector<ReceivedMessage> ReceivedMessage::all_of(const sql::Rows& rows) {
  std::vector<ReceivedMessage> entries;
  for (const auto& row : rows) {
    entries.push_back({{row.timestamp_us(0), row.account(1)}, row.boolean(2)});
  }
  return entries;
}

std::vector<MessageRow> read_copies(Transaction& transaction, const Entries& entries) {
  if (entries.empty()) return {};
  KeyColumns keys;
  for (const ReceivedMessage& entry : entries) keys.add(entry.key);
  const std::string sql = std::string("SELECT ") + kMicroseconds +
                          ", sender, recipient, group_id, text, images, recalled"
                          " FROM unnest($1::uuid[], $2::timestamptz[]) AS wanted (sender, sent_at)"
                          " JOIN message USING (sender, sent_at)";
  std::map<MessageKey, MessageRow> by_key;
  for (const auto& row : transaction.execute(sql, {keys.senders, keys.times})) {
    MessageRow message = to_message(row);
    const MessageKey key = message.key;
    by_key.emplace(key, std::move(message));
  }
  std::vector<MessageRow> messages;
  for (const auto& [key, read] : entries) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) continue;
    messages.push_back(std::move(found->second));
    messages.back().read = read;
  }
  return messages;
}

MessagePage read_message_page(Transaction& transaction, const ReadEntries& read,
                              const PlaceInBox& place, std::size_t limit) {
  const bool older = !place.newer_than;
  const auto& bound = older ? place.older_than : place.newer_than;
  auto entries = read(bound, older, limit + 1);
  const bool more = entries.size() > limit;
  if (more) entries.pop_back();
  if (!older) std::reverse(entries.begin(), entries.end());

  MessagePage page;
  (older ? page.has_older : page.has_newer) = more;
  if (entries.empty()) return page;
  const MessageKey& other_end = older ? entries.front().key : entries.back().key;
  (older ? page.has_newer : page.has_older) = bound && !read(other_end, !older, 1).empty();
  page.messages = read_copies(transaction, entries);
  return page;
}

MessagePage read_messages(Transaction& transaction, const MessageList& list,
                          const PlaceInBox& place, std::size_t limit) {
  const auto read = [&](const auto& bound, bool older, std::size_t count) {
    return read_entries(transaction, list, bound, older, count);
  };
  return read_message_page(transaction, read, place, limit);
}

std::optional<MessageRow> find_message(Transaction& transaction, const MessageKey& key) {
  auto messages = read_copies(transaction, {{key, false}});
  if (messages.empty()) return std::nullopt;
  return std::move(messages.front());
}

std::vector<ReceivedMessage> find_entries(Transaction& transaction, const core::AccountId& owner,
                                          const std::vector<MessageKey>& keys) {
  return find_where(transaction, owner, keys, "box = ANY ('{0,1,2}'::smallint[])");
}

bool takes_contacts_only(Transaction& transaction, const core::AccountId& owner) {
  const auto rows = transaction.execute(
      "SELECT contacts_only FROM message_setting WHERE owner = $1::uuid", {owner});
  return !rows.empty() && rows[0].boolean(0);
}

std::size_t count_unread(Transaction& transaction, const core::AccountId& reader) {
  const auto rows = transaction.execute(
      "SELECT count(*) FROM message_entry"
      " WHERE owner = $1::uuid AND box = 0 AND group_id IS NULL AND NOT read",
      {reader});
  return static_cast<std::size_t>(rows.front().integer(0));
}

std::vector<MessageKey> find_unread(Transaction& transaction, const core::AccountId& reader,
                                    const std::optional<core::AccountId>& peer,
                                    const MessageKey& up_to, std::size_t limit) {
  Params params{reader, core::utc_day(up_to.sent_at), up_to.sent_at, up_to.sender, limit};
  std::string sql = std::string("SELECT ") + kMicroseconds +
                    ", sender, read FROM message_entry"
                    " WHERE owner = $1::uuid AND box = 0 AND group_id IS NULL AND NOT read"
                    " AND (day, sent_at, sender) <= ($2::date, $3::timestamptz, $4::uuid)";
  if (peer) {
    sql += " AND sender = $6::uuid";
    params.push_back(*peer);
  }
  sql += " ORDER BY day DESC, sent_at DESC, sender DESC LIMIT $5::bigint";
  std::vector<MessageKey> keys;
  for (const auto& entry : ReceivedMessage::all_of(transaction.execute(sql, params)))
    keys.push_back(entry.key);
  return keys;
}

std::vector<ReceivedMessage> find_received(Transaction& transaction, const core::AccountId& reader,
                                           const std::vector<MessageKey>& keys) {
  return find_where(transaction, reader, keys, "box = 0 AND group_id IS NULL");
}

}  // namespace tideline::feed
