// Reads what passes between two people: the messages of both directions as one list, and the list
// of those with whom somebody exchanges messages.
//
// Every function blocks on the database.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "feed/projections/message_queries.hpp"

namespace tideline::feed {

// As `owner` reads it: without what he ignores.
MessagePage read_thread(sql::Transaction& transaction, const core::AccountId& owner,
                        const core::AccountId& peer, const PlaceInBox& place, std::size_t limit);

struct Conversation {
  core::AccountId peer;
  MessageKey last;  // the newest message
};
// Newest first, behind a time or behind a conversation of that time.
struct AfterConversation {
  core::Timestamp last_at;
  std::optional<core::AccountId> peer;
};
std::vector<Conversation> list_conversations(sql::Transaction& transaction,
                                             const core::AccountId& owner,
                                             const std::optional<AfterConversation>& after,
                                             std::size_t limit);
// Of each peer, up to `max`.
std::vector<std::size_t> count_unread_of_peers(sql::Transaction& transaction,
                                               const core::AccountId& owner,
                                               const std::vector<core::AccountId>& peers,
                                               std::size_t max);

}  // namespace tideline::feed
