// Tables `message`, `message_entry` and `message_read`: one canonical copy, its key in the sender's
// Sent and in the Inbox of everybody who got it, and who has read it there. What is read is said
// before or after what was sent, in any order of logs. Used by one runner thread.
#pragma once

#include <vector>

#include "eventsourcing/projections/projection.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

enum class MessageBox { Inbox = 0, Sent = 1 };

class MessageProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "messages"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  std::vector<std::string> tables() const override {
    return {"message", "message_entry", "message_read"};
  }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  void write_messages(sql::Transaction& transaction) const;
  void write_entries(sql::Transaction& transaction) const;
  void write_reads(sql::Transaction& transaction) const;

  // Since the last flush.
  std::vector<read::MessageSent> sent_;
  std::vector<read::MessagesRead> read_;
};

}  // namespace tideline::feed
