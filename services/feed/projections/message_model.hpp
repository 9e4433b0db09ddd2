// Tables `message`, `message_entry` and `message_read`: one canonical copy, its key in the sender's
// Sent and in the Inbox of everybody who got it, and who has read it there. Part of FeedProjection.
// A read mark may come before or after its message, in any order of logs.
#pragma once

#include <array>
#include <vector>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

enum class MessageBox { Inbox = 0, Sent = 1 };

class MessageModel {
 public:
  static constexpr std::array kTables{"message", "message_entry", "message_read"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  void write_messages(sql::Transaction& transaction) const;
  void write_entries(sql::Transaction& transaction) const;
  void write_reads(sql::Transaction& transaction) const;

  // Since the last flush.
  std::vector<read::MessageSent> sent_;
  std::vector<read::MessagesRead> read_;
};

}  // namespace tideline::feed
