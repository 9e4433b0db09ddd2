#include "feed/projections/conversation_queries.hpp"

#include <map>

namespace tideline::feed {
namespace {

using sql::Params;
using sql::Transaction;

// Each direction from the sender's own index, as many as may be wanted of it.
std::vector<ReceivedMessage> read_both_ways(Transaction& transaction, const core::AccountId& owner,
                                            const core::AccountId& peer,
                                            const std::optional<MessageKey>& bound, bool older,
                                            std::size_t limit) {
  Params params{owner, peer, limit};
  std::string side;
  if (bound) {
    params.push_back(bound->sent_at);
    params.push_back(bound->sender);
    side = std::string(" AND (message.sent_at, message.sender) ") + (older ? "<" : ">") +
           " ($4::timestamptz, $5::uuid)";
  }
  const std::string direction = older ? " DESC" : "";
  const std::string end = side + " ORDER BY message.sent_at" + direction + " LIMIT $3::bigint)";
  const std::string sql =
      "SELECT (extract(epoch FROM sent_at) * 1000000)::bigint, sender, read FROM ("
      "(SELECT message.sent_at, message.sender, true AS read FROM message"
      " WHERE message.sender = $1::uuid AND message.recipient = $2::uuid" +
      end +
      " UNION ALL "
      "(SELECT message.sent_at, message.sender, entry.read FROM message JOIN message_entry AS entry"
      " ON entry.owner = $1::uuid AND entry.box = ANY ('{0,2}'::smallint[])"
      " AND entry.day = (message.sent_at AT TIME ZONE 'UTC')::date"
      " AND entry.sent_at = message.sent_at AND entry.sender = message.sender"
      " WHERE message.sender = $2::uuid AND message.recipient = $1::uuid" +
      end + ") AS both_ways ORDER BY sent_at" + direction + ", sender" + direction +
      " LIMIT $3::bigint";
  return ReceivedMessage::all_of(transaction.execute(sql, params));
}

}  // namespace

MessagePage read_thread(Transaction& transaction, const core::AccountId& owner,
                        const core::AccountId& peer, const PlaceInBox& place, std::size_t limit) {
  const auto read = [&](const auto& bound, bool older, std::size_t count) {
    return read_both_ways(transaction, owner, peer, bound, older, count);
  };
  return read_message_page(transaction, read, place, limit);
}

std::vector<Conversation> list_conversations(Transaction& transaction, const core::AccountId& owner,
                                             const std::optional<AfterConversation>& after,
                                             std::size_t limit) {
  Params params{owner, limit};
  std::string sql =
      "SELECT (extract(epoch FROM last_at) * 1000000)::bigint, last_sender, peer FROM conversation"
      " WHERE owner = $1::uuid";
  if (after) {
    params.push_back(after->last_at);
    if (after->peer) {
      params.push_back(*after->peer);
      sql += " AND (last_at, peer) < ($3::timestamptz, $4::uuid)";
    } else {
      sql += " AND last_at <= $3::timestamptz";
    }
  }
  sql += " ORDER BY last_at DESC, peer DESC LIMIT $2::bigint";
  std::vector<Conversation> conversations;
  for (const auto& row : transaction.execute(sql, params)) {
    conversations.push_back({row.account(2), {row.timestamp_us(0), row.account(1)}});
  }
  return conversations;
}

std::vector<std::size_t> count_unread_of_peers(Transaction& transaction,
                                               const core::AccountId& owner,
                                               const std::vector<core::AccountId>& peers,
                                               std::size_t max) {
  constexpr const char* kSql = R"(
SELECT peer, unread.count FROM unnest($2::uuid[]) AS peer CROSS JOIN LATERAL (
  SELECT count(*) FROM (
    SELECT FROM message_entry
    WHERE owner = $1::uuid AND sender = peer AND box = 0 AND group_id IS NULL AND NOT read
    LIMIT $3::bigint) AS counted) AS unread)";
  std::vector<std::size_t> counts;
  if (peers.empty()) return counts;
  std::map<core::AccountId, std::size_t> by_peer;
  for (const auto& row : transaction.execute(kSql, {owner, peers, max})) {
    by_peer[row.account(0)] = static_cast<std::size_t>(row.integer(1));
  }
  for (const core::AccountId& peer : peers) counts.push_back(by_peer[peer]);
  return counts;
}

}  // namespace tideline::feed
