// Reads people's boxes of messages, which are personal but for what they have sent to groups. Every
// function answers for one owner, from his one partition of the entries; the canonical copies lie
// with their senders.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "feed/domain/message.hpp"
#include "feed/projections/message_model.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

struct MessageRow {
  MessageKey key;
  std::optional<core::AccountId> recipient;
  std::optional<std::string> group_id;
  std::string sealed_text;  // "" once recalled
  std::vector<std::string> images{};
  bool recalled = false;
  bool read = false;  // by the owner of the box; what he has sent himself is
};

// Which entries of the owner.
struct MessageList {
  core::AccountId owner;
  MessageBox box = MessageBox::Inbox;
  std::optional<core::Day> day{};
};

// At most one of both.
struct PlaceInBox {
  std::optional<MessageKey> older_than;
  std::optional<MessageKey> newer_than;  // the nearest ones
};

struct MessagePage {
  std::vector<MessageRow> messages;  // newest first
  bool has_newer = false;
  bool has_older = false;
};

// At most so many entries of a list on one side of the bound, or from that end, nearest first.
using ReadEntries = std::function<std::vector<struct ReceivedMessage>(
    const std::optional<MessageKey>& bound, bool older, std::size_t limit)>;

MessagePage read_message_page(sql::Transaction& transaction, const ReadEntries& read,
                              const PlaceInBox& place, std::size_t limit);
MessagePage read_messages(sql::Transaction& transaction, const MessageList& list,
                          const PlaceInBox& place, std::size_t limit);

struct ReceivedMessage {
  MessageKey key;
  bool read = false;

  // Of rows that begin with time in microseconds, sender, and whether it is read.
  static std::vector<ReceivedMessage> all_of(const sql::Rows& rows);
};
// Their canonical copies, in that order.
std::vector<MessageRow> read_copies(sql::Transaction& transaction,
                                    const std::vector<ReceivedMessage>& entries);

// The canonical copy, whoever may read it.
std::optional<MessageRow> find_message(sql::Transaction& transaction, const MessageKey& key);
// Those of the messages that are in one of the owner's boxes, in no order.
std::vector<ReceivedMessage> find_entries(sql::Transaction& transaction,
                                          const core::AccountId& owner,
                                          const std::vector<MessageKey>& keys);

// Whether he takes personal messages of contacts alone.
bool takes_contacts_only(sql::Transaction& transaction, const core::AccountId& owner);

// In his Inbox.
std::size_t count_unread(sql::Transaction& transaction, const core::AccountId& reader);
// Of his Inbox, or of what the peer has sent to him, the newest that are not newer than `up_to`.
std::vector<MessageKey> find_unread(sql::Transaction& transaction, const core::AccountId& reader,
                                    const std::optional<core::AccountId>& peer,
                                    const MessageKey& up_to, std::size_t limit);

// Those of the messages that are in his Inbox.
std::vector<ReceivedMessage> find_received(sql::Transaction& transaction,
                                           const core::AccountId& reader,
                                           const std::vector<MessageKey>& keys);

}  // namespace tideline::feed
