// Tables `message`, `message_entry`, `message_read`, `message_request`, `message_setting` and
// `conversation`: one canonical copy, its key in the sender's Sent and in the recipient's Inbox, or
// among the requests of who has not accepted it, who has read it, and the newest between two. Part
// of FeedProjection. A read mark or an answer may come before or after its message, in any order of
// logs; that it is recalled comes after it.
#pragma once

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// Requests and Ignored: of senders whom the owner has not accepted, or ignores.
enum class MessageBox { Inbox = 0, Sent = 1, Requests = 2, Ignored = 3 };

class MessageModel {
 public:
  static constexpr std::array kTables{"message",         "message_entry",   "message_read",
                                      "message_request", "message_setting", "conversation"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  using Pair = std::pair<core::AccountId, core::AccountId>;  // recipient, sender
  using Mark = std::pair<core::AccountId, MessageKey>;       // reader, message
  struct AnswerRow {
    int answer = 0;
    core::StreamVersion version;
  };
  struct SettingRow {
    bool contacts_only = false;
    core::StreamVersion version;
  };

  void write_settings(sql::Transaction& transaction) const;
  void write_answers(sql::Transaction& transaction) const;
  // Whose messages may be requests, of those that have changed.
  std::set<Pair> request_pairs() const;
  void lock_answers(sql::Transaction& transaction) const;
  void move_answered(sql::Transaction& transaction) const;
  void write_messages(sql::Transaction& transaction) const;
  void write_entries(sql::Transaction& transaction) const;
  void write_reads(sql::Transaction& transaction) const;
  void write_conversations(sql::Transaction& transaction) const;
  std::vector<Mark> marks() const;
  void mark_entries(sql::Transaction& transaction) const;

  // Since the last flush.
  std::vector<read::MessageSent> sent_;
  std::vector<MessageRecalled> recalled_;
  std::vector<read::MessagesRead> read_;
  std::map<Pair, AnswerRow> answers_;
  std::map<core::AccountId, SettingRow> settings_;
};

}  // namespace tideline::feed
