#include "feed/projections/message_projection.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

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

void MessageProjection::load(sql::Transaction&) { flushed(); }

void MessageProjection::flushed() {
  sent_.clear();
  read_.clear();
}

void MessageProjection::apply(const eventsourcing::RecordedEvent& event) {
  auto known = read::read_event(event);
  if (!known) return;
  if (auto* sent = std::get_if<read::MessageSent>(&*known)) sent_.push_back(std::move(*sent));
  if (auto* seen = std::get_if<read::MessagesRead>(&*known)) read_.push_back(std::move(*seen));
}

void MessageProjection::flush(sql::Transaction& transaction) {
  // Entries that are written now look for their marks.
  if (!read_.empty()) write_reads(transaction);
  if (sent_.empty()) return;
  std::sort(sent_.begin(), sent_.end(), [](const auto& left, const auto& right) {
    return std::tie(left.sender, left.sent_at) < std::tie(right.sender, right.sent_at);
  });
  write_messages(transaction);
  write_entries(transaction);
}

void MessageProjection::write_messages(sql::Transaction& transaction) const {
  std::vector<core::AccountId> senders;
  std::vector<core::Timestamp> times;
  std::vector<std::optional<core::AccountId>> recipients;
  std::vector<std::optional<std::string>> groups;
  std::vector<std::string> texts;
  for (const auto& message : sent_) {
    senders.push_back(message.sender);
    times.push_back(message.sent_at);
    recipients.push_back(message.recipient);
    groups.push_back(message.group_id);
    texts.push_back(message.sealed_text);
  }
  transaction.execute(kInsertMessages, {senders, times, recipients, groups, texts});
}

void MessageProjection::write_entries(sql::Transaction& transaction) const {
  using Entry = std::tuple<core::AccountId, MessageBox, core::Timestamp, core::AccountId,
                           std::optional<std::string>>;
  std::vector<Entry> entries;
  for (const auto& message : sent_) {
    entries.emplace_back(message.sender, MessageBox::Sent, message.sent_at, message.sender,
                         message.group_id);
    for (const core::AccountId& recipient : message.recipients) {
      entries.emplace_back(recipient, MessageBox::Inbox, message.sent_at, message.sender,
                           message.group_id);
    }
  }
  std::sort(entries.begin(), entries.end());
  std::vector<core::AccountId> owners, senders;
  std::vector<int> boxes;
  std::vector<core::Day> days;
  std::vector<core::Timestamp> times;
  std::vector<std::optional<std::string>> groups;
  for (const auto& [owner, box, sent_at, sender, group] : entries) {
    owners.push_back(owner);
    boxes.push_back(static_cast<int>(box));
    days.push_back(core::utc_day(sent_at));
    times.push_back(sent_at);
    senders.push_back(sender);
    groups.push_back(group);
  }
  transaction.execute(kInsertEntries, {owners, boxes, days, times, senders, groups});
}

void MessageProjection::write_reads(sql::Transaction& transaction) const {
  std::vector<std::pair<core::AccountId, MessageKey>> marks;
  for (const auto& [reader, messages] : read_) {
    for (const MessageKey& key : messages) marks.emplace_back(reader, key);
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  std::vector<core::AccountId> readers, senders;
  std::vector<core::Day> days;
  std::vector<core::Timestamp> times;
  for (const auto& [reader, key] : marks) {
    readers.push_back(reader);
    senders.push_back(key.sender);
    days.push_back(core::utc_day(key.sent_at));
    times.push_back(key.sent_at);
  }
  transaction.execute(kInsertReads, {readers, times, senders});
  transaction.execute(kMarkEntries, {readers, days, times, senders});
}

}  // namespace tideline::feed
