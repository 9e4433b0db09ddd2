#include "feed/projections/message_model.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

// Rows never change once they are there, so a second insertion has nothing to say.
constexpr const char* kInsertMessages = R"(
INSERT INTO message (sender, sent_at, recipient, group_id, text, images)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[])
ON CONFLICT (sender, sent_at) DO NOTHING)";

constexpr const char* kRecallMessages = R"(
UPDATE message SET text = '', images = '[]', recalled = true
FROM unnest($1::uuid[], $2::timestamptz[]) AS gone (sender, sent_at)
WHERE message.sender = gone.sender AND message.sent_at = gone.sent_at AND NOT recalled)";

// In the order of their keys. Of those whose messages have been requests: what lies in the Inbox by
// now.
constexpr const char* kRaiseConversations = R"(
INSERT INTO conversation AS held (owner, peer, last_at, last_sender)
SELECT DISTINCT ON (owner, peer) owner, peer, last_at, last_sender
FROM (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[])
                    AS written (owner, peer, last_at, last_sender)
      UNION ALL
      SELECT recipient, pair.sender, newest.sent_at, pair.sender
      FROM unnest($5::uuid[], $6::uuid[]) AS pair (recipient, sender)
           JOIN message_request known USING (recipient, sender)
           CROSS JOIN LATERAL (
             SELECT sent_at FROM message
             WHERE message.sender = pair.sender AND message.recipient = pair.recipient
             ORDER BY sent_at DESC LIMIT 1) AS newest
      WHERE known.answer = 1) AS raised
ORDER BY owner, peer, last_at DESC, last_sender DESC
ON CONFLICT (owner, peer) DO UPDATE
SET last_at = excluded.last_at, last_sender = excluded.last_sender
WHERE (excluded.last_at, excluded.last_sender) > (held.last_at, held.last_sender))";

constexpr const char* kInsertEntries = R"(
INSERT INTO message_entry (owner, box, day, sent_at, sender, group_id, read)
SELECT owner, CASE WHEN box = 2 THEN coalesce((
      SELECT (ARRAY[2, 0, 3])[answer + 1] FROM message_request known
      WHERE known.recipient = owner AND known.sender = entry.sender), 2) ELSE box END,
    day, sent_at, sender, group_id, box = 1 OR EXISTS (
    SELECT FROM message_read known
    WHERE known.reader = owner AND known.sent_at = entry.sent_at AND known.sender = entry.sender)
FROM unnest($1::uuid[], $2::smallint[], $3::date[], $4::timestamptz[], $5::uuid[], $6::text[])
     AS entry (owner, box, day, sent_at, sender, group_id)
ON CONFLICT (owner, box, day, sent_at, sender) DO NOTHING)";

constexpr const char* kWriteSettings = R"(
INSERT INTO message_setting AS held (owner, contacts_only, version)
SELECT * FROM unnest($1::uuid[], $2::boolean[], $3::bigint[])
ON CONFLICT (owner) DO UPDATE
SET contacts_only = excluded.contacts_only, version = excluded.version
WHERE excluded.version > held.version)";

constexpr const char* kWriteAnswers = R"(
INSERT INTO message_request AS held (recipient, sender, answer, version)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::bigint[])
ON CONFLICT (recipient, sender) DO UPDATE
SET answer = excluded.answer, version = excluded.version
WHERE excluded.version > held.version)";

// Whoever brings a message and whoever brings the answer to it may be two, at the same time: the
// second waits for the first here, and sees what that has written.
constexpr const char* kLockAnswers = R"(
INSERT INTO message_request AS held (recipient, sender, answer, version)
SELECT recipient, sender, 0, 0 FROM unnest($1::uuid[], $2::uuid[]) AS wanted (recipient, sender)
ON CONFLICT (recipient, sender) DO UPDATE SET version = held.version)";

constexpr const char* kMoveAnswered = R"(
UPDATE message_entry SET box = (ARRAY[2, 0, 3])[known.answer + 1]
FROM unnest($1::uuid[], $2::uuid[]) AS answered (recipient, sender)
     JOIN message_request known USING (recipient, sender)
WHERE message_entry.owner = answered.recipient AND message_entry.sender = answered.sender
  AND message_entry.box = ANY ('{2,3}'::smallint[])
  AND message_entry.box <> (ARRAY[2, 0, 3])[known.answer + 1])";

constexpr const char* kInsertReads = R"(
INSERT INTO message_read (reader, sent_at, sender)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[])
ON CONFLICT (reader, sent_at, sender) DO NOTHING)";

constexpr const char* kMarkEntries = R"(
UPDATE message_entry SET read = true
FROM unnest($1::uuid[], $2::date[], $3::timestamptz[], $4::uuid[])
     AS mark (reader, day, sent_at, sender)
WHERE owner = mark.reader AND box = ANY ('{0,2,3}'::smallint[]) AND message_entry.day = mark.day
  AND message_entry.sent_at = mark.sent_at AND message_entry.sender = mark.sender
  AND NOT read)";

void sort_marks(std::vector<std::pair<core::AccountId, MessageKey>>& marks) {
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
}

}  // namespace

void MessageModel::clear() {
  sent_.clear();
  recalled_.clear();
  read_.clear();
  answers_.clear();
  settings_.clear();
}

void MessageModel::apply(const eventsourcing::RecordedEvent& event) {
  if (auto sent = eventsourcing::read_as<read::MessageSent>(event)) {
    sent_.push_back(*std::move(sent));
  } else if (auto recalled = eventsourcing::read_as<MessageRecalled>(event)) {
    recalled_.push_back(*std::move(recalled));
  } else if (auto marked = eventsourcing::read_as<read::MessagesRead>(event)) {
    read_.push_back(*std::move(marked));
  } else if (const auto request = eventsourcing::read_as<MessageRequestChanged>(event)) {
    answers_[{request->recipient, request->sender}] = {static_cast<int>(request->answer),
                                                       event.version};
  } else if (const auto setting = eventsourcing::read_as<MessageSettingChanged>(event)) {
    settings_[setting->owner] = {setting->contacts_only, event.version};
  }
}

void MessageModel::flush(sql::Transaction& transaction) const {
  write_settings(transaction);
  // First what entries that are written now look for: their marks, and answers to requests.
  write_reads(transaction);
  lock_answers(transaction);
  write_answers(transaction);
  write_messages(transaction);
  write_entries(transaction);
  move_answered(transaction);
  // After what they are about.
  write_conversations(transaction);
  mark_entries(transaction);
}

void MessageModel::write_settings(sql::Transaction& transaction) const {
  sql::write_batch(transaction, kWriteSettings, settings_, sql::kKey, &SettingRow::contacts_only,
                   &SettingRow::version);
}

void MessageModel::write_answers(sql::Transaction& transaction) const {
  sql::write_batch(transaction, kWriteAnswers, answers_, &Pair::first, &Pair::second,
                   &AnswerRow::answer, &AnswerRow::version);
}

std::set<MessageModel::Pair> MessageModel::request_pairs() const {
  std::set<Pair> pairs;
  for (const auto& [pair, answer] : answers_) pairs.insert(pair);
  for (const auto& message : sent_) {
    if (message.is_request) pairs.emplace(message.recipients.at(0), message.sender);
  }
  return pairs;
}

// All in one statement, in their order: else two could wait for each other.
void MessageModel::lock_answers(sql::Transaction& transaction) const {
  sql::write_batch(transaction, kLockAnswers, request_pairs(), &Pair::first, &Pair::second);
}

void MessageModel::move_answered(sql::Transaction& transaction) const {
  std::vector<Pair> answered;
  for (const auto& [pair, row] : answers_) {
    if (row.answer != static_cast<int>(RequestAnswer::None)) answered.push_back(pair);
  }
  sql::write_batch(transaction, kMoveAnswered, answered, &Pair::first, &Pair::second);
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
                   &MessageSent::sealed_text,
                   [](const MessageSent* sent) { return nlohmann::json(sent->images).dump(); });
}

void MessageModel::write_conversations(sql::Transaction& transaction) const {
  std::map<Pair, MessageKey> newest;  // by owner and peer
  for (const auto& message : sent_) {
    if (!message.recipient) continue;
    const MessageKey key{message.sent_at, message.sender};
    const auto raise = [&](const core::AccountId& owner, const core::AccountId& peer) {
      MessageKey& last = newest.try_emplace({owner, peer}, key).first->second;
      last = std::max(last, key);
    };
    raise(message.sender, *message.recipient);
    if (!message.is_request) raise(*message.recipient, message.sender);
  }
  const auto pairs = request_pairs();
  if (newest.empty() && pairs.empty()) return;
  auto params =
      sql::columns(newest, &Pair::first, &Pair::second, &MessageKey::sent_at, &MessageKey::sender);
  for (auto& column : sql::columns(pairs, &Pair::first, &Pair::second)) {
    params.push_back(std::move(column));
  }
  transaction.execute(kRaiseConversations, params);
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
    const auto box = message.is_request ? MessageBox::Requests : MessageBox::Inbox;
    for (const core::AccountId& recipient : message.recipients) enter(recipient, box);
  }
  std::sort(entries.begin(), entries.end());
  sql::write_batch(transaction, kInsertEntries, entries, &Entry::owner, &Entry::box_number,
                   &Entry::day, &Entry::sent_at, &Entry::sender, &Entry::group_id);
}

std::vector<MessageModel::Mark> MessageModel::marks() const {
  std::vector<Mark> marks;
  for (const auto& [reader, messages] : read_) {
    for (const MessageKey& key : messages) marks.emplace_back(reader, key);
  }
  return marks;
}

void MessageModel::write_reads(sql::Transaction& transaction) const {
  auto read = marks();
  sort_marks(read);
  sql::write_batch(transaction, kInsertReads, read, &Mark::first,
                   sql::at(&Mark::second, &MessageKey::sent_at),
                   sql::at(&Mark::second, &MessageKey::sender));
}

// Of what is recalled there is nothing left to read.
void MessageModel::mark_entries(sql::Transaction& transaction) const {
  auto read = marks();
  for (const MessageRecalled& gone : recalled_) {
    if (gone.recipient) read.emplace_back(*gone.recipient, MessageKey{gone.sent_at, gone.sender});
  }
  sort_marks(read);
  sql::write_batch(transaction, kMarkEntries, read, &Mark::first,
                   sql::at(&Mark::second, &MessageKey::sent_at, core::utc_day),
                   sql::at(&Mark::second, &MessageKey::sent_at),
                   sql::at(&Mark::second, &MessageKey::sender));
  sql::write_batch(transaction, kRecallMessages, recalled_, &MessageRecalled::sender,
                   &MessageRecalled::sent_at);
}

}  // namespace tideline::feed
