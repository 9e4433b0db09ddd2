#include "feed/projections/message_model.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

// Rows never change once they are there, so a second insertion has nothing to say.
constexpr const char* kInsertMessages = R"(
INSERT INTO message (sender, sent_at, recipient, group_id, text)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[])
ON CONFLICT (sender, sent_at) DO NOTHING)";

constexpr const char* kInsertEntries = R"(
INSERT INTO message_entry (owner, box, day, sent_at, sender, group_id, read)
SELECT entry.*, box = 1 OR EXISTS (
    SELECT FROM message_read known
    WHERE known.reader = owner AND known.sent_at = entry.sent_at AND known.sender = entry.sender)
FROM unnest($1::uuid[], $2::smallint[], $3::date[], $4::timestamptz[], $5::uuid[], $6::text[])
     AS entry (owner, box, day, sent_at, sender, group_id)
ON CONFLICT (owner, box, day, sent_at, sender) DO NOTHING)";

constexpr const char* kInsertReads = R"(
INSERT INTO message_read (reader, sent_at, sender)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[])
ON CONFLICT (reader, sent_at, sender) DO NOTHING)";

constexpr const char* kMarkEntries = R"(
UPDATE message_entry SET read = true
FROM unnest($1::uuid[], $2::date[], $3::timestamptz[], $4::uuid[])
     AS mark (reader, day, sent_at, sender)
WHERE owner = mark.reader AND box = 0 AND message_entry.day = mark.day
  AND message_entry.sent_at = mark.sent_at AND message_entry.sender = mark.sender
  AND NOT read)";

}  // namespace

void MessageModel::clear() {
  sent_.clear();
  read_.clear();
}

void MessageModel::apply(const eventsourcing::RecordedEvent& event) {
  if (auto sent = eventsourcing::read_as<read::MessageSent>(event)) {
    sent_.push_back(*std::move(sent));
  } else if (auto marked = eventsourcing::read_as<read::MessagesRead>(event)) {
    read_.push_back(*std::move(marked));
  }
}

void MessageModel::flush(sql::Transaction& transaction) const {
  write_reads(transaction);  // first: entries that are written now look for their marks
  write_messages(transaction);
  write_entries(transaction);
}

// In the order of their keys, as all batches are: two owners of partitions must not lock the same
// rows in different orders.
void MessageModel::write_messages(sql::Transaction& transaction) const {
  std::vector<const read::MessageSent*> messages;
  for (const auto& message : sent_) messages.push_back(&message);
  std::sort(messages.begin(), messages.end(), [](const auto* left, const auto* right) {
    return std::tie(left->sender, left->sent_at) < std::tie(right->sender, right->sent_at);
  });
  using read::MessageSent;
  sql::write_batch(transaction, kInsertMessages, messages, &MessageSent::sender,
                   &MessageSent::sent_at, &MessageSent::recipient, &MessageSent::group_id,
                   &MessageSent::sealed_text);
}

void MessageModel::write_entries(sql::Transaction& transaction) const {
  struct Entry {
    core::AccountId owner;
    MessageBox box;
    core::Timestamp sent_at;
    core::AccountId sender;
    std::optional<std::string> group_id;
    auto operator<=>(const Entry&) const = default;

    int box_number() const { return static_cast<int>(box); }
    core::Day day() const { return core::utc_day(sent_at); }
  };
  std::vector<Entry> entries;
  for (const auto& message : sent_) {
    const auto enter = [&](const core::AccountId& owner, MessageBox box) {
      entries.push_back({owner, box, message.sent_at, message.sender, message.group_id});
    };
    enter(message.sender, MessageBox::Sent);
    for (const core::AccountId& recipient : message.recipients) enter(recipient, MessageBox::Inbox);
  }
  std::sort(entries.begin(), entries.end());
  sql::write_batch(transaction, kInsertEntries, entries, &Entry::owner, &Entry::box_number,
                   &Entry::day, &Entry::sent_at, &Entry::sender, &Entry::group_id);
}

void MessageModel::write_reads(sql::Transaction& transaction) const {
  using Mark = std::pair<core::AccountId, MessageKey>;  // reader, message
  std::vector<Mark> marks;
  for (const auto& [reader, messages] : read_) {
    for (const MessageKey& key : messages) marks.emplace_back(reader, key);
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  const auto day = sql::at(&Mark::second, &MessageKey::sent_at, core::utc_day);
  const auto sent_at = sql::at(&Mark::second, &MessageKey::sent_at);
  const auto sender = sql::at(&Mark::second, &MessageKey::sender);
  sql::write_batch(transaction, kInsertReads, marks, &Mark::first, sent_at, sender);
  sql::write_batch(transaction, kMarkEntries, marks, &Mark::first, day, sent_at, sender);
}

}  // namespace tideline::feed
