#include "feed/projections/group_message_queries.hpp"

#include <algorithm>
#include <map>

#include "core/check.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

using sql::Params;
using sql::Transaction;
using Entries = std::vector<ReceivedMessage>;

constexpr const char* kSelectGroup =
    "SELECT (extract(epoch FROM sent_at) * 1000000)::bigint, sender, seen FROM group_message"
    " WHERE group_id = $1::text AND sent_at >= $2::timestamptz AND NOT sender = ANY ($3::uuid[])";

// Of each group ($1, $2: from when on), the newest of those that are not of $3.
constexpr const char* kNewestOfGroups = R"(
SELECT (extract(epoch FROM sent_at) * 1000000)::bigint, sender, seen, wanted.group_id
FROM unnest($1::text[], $2::timestamptz[]) AS wanted (group_id, since)
     CROSS JOIN LATERAL (
       SELECT sent_at, sender, seen FROM group_message
       WHERE group_message.group_id = wanted.group_id AND sent_at >= wanted.since
         AND NOT sender = ANY ($3::uuid[])
       ORDER BY sent_at DESC, sender DESC LIMIT 1) AS newest)";

constexpr const char* kCountUnreadOfGroups = R"(
SELECT (extract(epoch FROM group_mark.sent_at) * 1000000)::bigint, group_mark.sender,
       wanted.group_id, unread.count
FROM unnest($1::text[], $2::timestamptz[]) AS wanted (group_id, since)
     LEFT JOIN group_mark ON group_mark.reader = $4::uuid AND group_mark.group_id = wanted.group_id
     CROSS JOIN LATERAL (
       SELECT count(*) FROM (
         SELECT FROM group_message
         WHERE group_message.group_id = wanted.group_id
           AND group_message.sent_at >= greatest(wanted.since, group_mark.sent_at)
           AND (group_mark.sent_at IS NULL
                OR (group_message.sent_at, group_message.sender)
                   > (group_mark.sent_at, group_mark.sender))
           AND NOT group_message.sender = ANY ($3::uuid[])
           AND group_message.sender <> $4::uuid AND NOT recalled
         LIMIT $5::bigint) AS counted) AS unread)";

MessageKey key_of_row(const sql::Row& row) { return {row.timestamp_us(0), row.account(1)}; }

bool knows(const GroupReader& reader, const std::string& seen) {
  if (seen.empty()) return true;
  const auto positions = eventsourcing::PositionVector::from_token(seen);
  CHECK(positions.has_value(), "the projection writes tokens");
  return reader.knows(*positions);
}

// Nothing has been read before the first mark.
MessageKey mark_of(Transaction& transaction, const GroupReader& reader, const std::string& group) {
  const auto rows = transaction.execute(
      "SELECT (extract(epoch FROM sent_at) * 1000000)::bigint, sender FROM group_mark"
      " WHERE reader = $1::uuid AND group_id = $2::text",
      {reader.account, group});
  return rows.empty() ? MessageKey() : key_of_row(rows.front());
}

// One statement's rows, those that he is not shown yet among them.
sql::Rows read_group_rows(Transaction& transaction, const GroupReader& reader,
                          const GroupMessages& list, const std::optional<MessageKey>& bound,
                          bool older, std::size_t limit) {
  Params params{list.group_id, list.since, reader.apart};
  const auto parameter = [&](sql::Param value) {
    params.push_back(std::move(value));
    return "$" + std::to_string(params.size());
  };
  std::string sql = kSelectGroup;
  if (list.day) {
    const std::string day = parameter(*list.day);
    sql += " AND sent_at >= (" + day + "::date)::timestamp AT TIME ZONE 'UTC'" +
           " AND sent_at < (" + day + "::date + 1)::timestamp AT TIME ZONE 'UTC'";
  }
  if (bound) {
    sql += std::string(" AND (sent_at, sender) ") + (older ? "<" : ">") + " (" +
           parameter(bound->sent_at) + "::timestamptz, " + parameter(bound->sender) + "::uuid)";
  }
  const std::string direction = older ? " DESC" : "";
  sql += " ORDER BY sent_at" + direction + ", sender" + direction + " LIMIT " + parameter(limit) +
         "::bigint";
  return transaction.execute(sql, params);
}

// Those of the rows that he is shown.
Entries known_entries(const GroupReader& reader, const sql::Rows& rows, const MessageKey& mark) {
  Entries entries;
  for (const auto& row : rows) {
    if (!knows(reader, row.text(2))) continue;
    const MessageKey key = key_of_row(row);
    entries.push_back({key, key.sender == reader.account || key <= mark});
  }
  return entries;
}

Entries read_group_entries(Transaction& transaction, const GroupReader& reader,
                           const GroupMessages& list, const MessageKey& mark,
                           std::optional<MessageKey> bound, bool older, std::size_t limit) {
  Entries entries;
  while (true) {
    const std::size_t wanted = limit - entries.size();
    const auto rows = read_group_rows(transaction, reader, list, bound, older, wanted);
    for (const ReceivedMessage& entry : known_entries(reader, rows, mark)) entries.push_back(entry);
    if (!rows.empty()) bound = key_of_row(rows.back());
    if (rows.size() < wanted || entries.size() == limit) return entries;
  }
}

Params columns_of_groups(const GroupReader& reader, const std::vector<GroupMessages>& groups) {
  Params params = sql::columns(groups, &GroupMessages::group_id, &GroupMessages::since);
  params.push_back(reader.apart);
  return params;
}

}  // namespace

MessagePage read_group_messages(Transaction& transaction, const GroupReader& reader,
                                const GroupMessages& list, const PlaceInBox& place,
                                std::size_t limit) {
  const MessageKey mark = mark_of(transaction, reader, list.group_id);
  const auto read = [&](const auto& bound, bool older, std::size_t count) {
    return read_group_entries(transaction, reader, list, mark, bound, older, count);
  };
  return read_message_page(transaction, read, place, limit);
}

Entries find_in_group(Transaction& transaction, const GroupReader& reader,
                      const GroupMessages& list, const std::vector<MessageKey>& keys) {
  Params params{list.group_id, list.since, reader.apart};
  for (auto& column : sql::columns(keys, &MessageKey::sent_at, &MessageKey::sender)) {
    params.push_back(std::move(column));
  }
  const auto rows = transaction.execute(
      std::string(kSelectGroup) +
          " AND (sent_at, sender) IN (SELECT * FROM unnest($4::timestamptz[], $5::uuid[]))",
      params);
  const MessageKey mark = mark_of(transaction, reader, list.group_id);
  return known_entries(reader, rows, mark);
}

std::vector<NewestOfGroup> newest_of_groups(Transaction& transaction, const GroupReader& reader,
                                            const std::vector<GroupMessages>& groups) {
  std::vector<NewestOfGroup> newest;
  if (groups.empty()) return newest;
  for (const auto& row : transaction.execute(kNewestOfGroups, columns_of_groups(reader, groups))) {
    const std::string group_id = row.text(3);
    if (knows(reader, row.text(2))) {
      newest.push_back({group_id, key_of_row(row)});
      continue;
    }
    const auto list = std::ranges::find(groups, group_id, &GroupMessages::group_id);
    const auto known = read_group_entries(transaction, reader, *list, {}, key_of_row(row), true, 1);
    if (!known.empty()) newest.push_back({group_id, known.front().key});
  }
  return newest;
}

std::vector<UnreadOfGroup> count_unread_of_groups(Transaction& transaction,
                                                  const GroupReader& reader,
                                                  const std::vector<GroupMessages>& groups,
                                                  std::size_t max) {
  std::vector<UnreadOfGroup> counts;
  if (groups.empty()) return counts;
  Params params = columns_of_groups(reader, groups);
  params.push_back(reader.account);
  params.push_back(max);
  std::map<std::string, UnreadOfGroup> by_group;
  for (const auto& row : transaction.execute(kCountUnreadOfGroups, params)) {
    by_group[row.text(2)] = {static_cast<std::size_t>(row.integer(3)),
                             row.is_null(0) ? MessageKey() : key_of_row(row)};
  }
  for (const GroupMessages& group : groups) counts.push_back(by_group[group.group_id]);
  return counts;
}

}  // namespace tideline::feed
