// Reads people's boxes of messages. Every function answers for one owner, from his one partition of
// the entries; the canonical copies lie with their senders.
#pragma once

#include <cstddef>
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
  std::string sealed_text;
  bool read = false;  // by the owner of the box; what he has sent himself is
};

// Which entries of the owner. A group's are those in both of his boxes.
struct MessageList {
  core::AccountId owner;
  std::optional<MessageBox> box;
  std::optional<std::string> group_id;
  std::optional<core::Day> day;
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

MessagePage read_messages(sql::Transaction& transaction, const MessageList& list,
                          const PlaceInBox& place, std::size_t limit);

// nullopt also when it is not in one of the reader's boxes.
std::optional<MessageRow> find_message(sql::Transaction& transaction, const MessageKey& key,
                                       const core::AccountId& reader);

// Whether he takes personal messages of contacts alone.
bool takes_contacts_only(sql::Transaction& transaction, const core::AccountId& owner);

// In his Inbox.
std::size_t count_unread(sql::Transaction& transaction, const core::AccountId& reader);
// Of his Inbox, the newest that are not newer than `up_to`.
std::vector<MessageKey> find_unread(sql::Transaction& transaction, const core::AccountId& reader,
                                    const MessageKey& up_to, std::size_t limit);

struct ReceivedMessage {
  MessageKey key;
  bool read = false;
};
// Those of the messages that are in his Inbox.
std::vector<ReceivedMessage> find_received(sql::Transaction& transaction,
                                           const core::AccountId& reader,
                                           const std::vector<MessageKey>& keys);

}  // namespace tideline::feed
