#include "feed/projections/group_message_model.hpp"

#include <algorithm>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

// Before, a message named its readers: there is nothing that a reader would have to know first.
constexpr core::SchemaVersion kReadByMembers{4};

constexpr const char* kInsertGroupMessages = R"(
INSERT INTO group_message (group_id, sent_at, sender, seen, recalled)
SELECT *, false FROM unnest($1::text[], $2::timestamptz[], $3::uuid[], $4::text[])
ON CONFLICT (group_id, sent_at, sender) DO NOTHING)";

constexpr const char* kRecallGroupMessages = R"(
UPDATE group_message SET recalled = true
FROM unnest($1::text[], $2::timestamptz[], $3::uuid[]) AS gone (group_id, sent_at, sender)
WHERE group_message.group_id = gone.group_id AND group_message.sent_at = gone.sent_at
  AND group_message.sender = gone.sender AND NOT recalled)";

constexpr const char* kRaiseMarks = R"(
INSERT INTO group_mark AS held (reader, group_id, sent_at, sender)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::uuid[])
ON CONFLICT (reader, group_id) DO UPDATE
SET sent_at = excluded.sent_at, sender = excluded.sender
WHERE (excluded.sent_at, excluded.sender) > (held.sent_at, held.sender))";

// Who is a member, who has blocked whom, and what a group's past is, is all told by one service.
std::string graph_token(const eventsourcing::PositionVector& seen) {
  constexpr std::string_view kGraph = "social-graph";
  eventsourcing::PositionVector graph;
  const auto logs = seen.services().find(kGraph);
  if (logs == seen.services().end()) return "";
  for (const auto& [log, position] : logs->second) graph.raise(kGraph, log, position);
  return graph.to_token();
}

}  // namespace

void GroupMessageModel::clear() {
  sent_.clear();
  recalled_.clear();
  marks_.clear();
}

void GroupMessageModel::apply(const eventsourcing::RecordedEvent& event) {
  if (const auto sent = eventsourcing::read_as<read::MessageSent>(event)) {
    if (!sent->group_id) return;
    const bool named_readers = event.schema_version < kReadByMembers;
    sent_.try_emplace({*sent->group_id, {sent->sent_at, sent->sender}},
                      named_readers ? "" : graph_token(sent->seen));
  } else if (const auto recalled = eventsourcing::read_as<MessageRecalled>(event)) {
    if (!recalled->group_id) return;
    recalled_.insert({*recalled->group_id, {recalled->sent_at, recalled->sender}});
  } else if (const auto mark = eventsourcing::read_as<GroupMessagesRead>(event)) {
    MessageKey& up_to = marks_[{mark->reader, mark->group_id}];
    up_to = std::max(up_to, mark->up_to);
  }
}

void GroupMessageModel::flush(sql::Transaction& transaction) const {
  const auto at_place = [](auto... members) { return sql::at(&Place::second, members...); };
  const auto sent_at = at_place(&MessageKey::sent_at);
  const auto sender = at_place(&MessageKey::sender);
  sql::write_batch(transaction, kInsertGroupMessages, sent_, &Place::first, sent_at, sender,
                   sql::kValue);
  sql::write_batch(transaction, kRecallGroupMessages, recalled_, &Place::first, sent_at, sender);
  using Marked = std::pair<core::AccountId, std::string>;
  sql::write_batch(transaction, kRaiseMarks, marks_, &Marked::first, &Marked::second,
                   &MessageKey::sent_at, &MessageKey::sender);
}

}  // namespace tideline::feed
