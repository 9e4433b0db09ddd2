// Reads groups' lists of messages for one of their members. Whether he is one, and from when on he
// reads, the engine says before (FeedReader::reads_group_since).
//
// Every function blocks on the database; each group's rows lie in one partition.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventsourcing/events/position_vector.hpp"
#include "feed/projections/message_queries.hpp"

namespace tideline::feed {

// What a member reads of groups: nothing of people from whom a block parts him, and nothing that
// was sent after something that whoever let him in does not know yet.
struct GroupReader {
  core::AccountId account;
  std::vector<core::AccountId> apart{};
  std::function<bool(const eventsourcing::PositionVector& seen)> knows{};
};

struct GroupMessages {
  std::string group_id;
  core::Timestamp since;  // the oldest that he reads
  std::optional<core::Day> day{};
};

MessagePage read_group_messages(sql::Transaction& transaction, const GroupReader& reader,
                                const GroupMessages& list, const PlaceInBox& place,
                                std::size_t limit);
// Those of the messages that are in the list, in no order.
std::vector<ReceivedMessage> find_in_group(sql::Transaction& transaction, const GroupReader& reader,
                                           const GroupMessages& list,
                                           const std::vector<MessageKey>& keys);

// The newest message of each group that has any for him.
struct NewestOfGroup {
  std::string group_id;
  MessageKey key;
};
std::vector<NewestOfGroup> newest_of_groups(sql::Transaction& transaction,
                                            const GroupReader& reader,
                                            const std::vector<GroupMessages>& groups);
// Of each group: messages of others, behind his mark, that are not recalled, up to `max`.
struct UnreadOfGroup {
  std::size_t count = 0;
  MessageKey mark;
};
std::vector<UnreadOfGroup> count_unread_of_groups(sql::Transaction& transaction,
                                                  const GroupReader& reader,
                                                  const std::vector<GroupMessages>& groups,
                                                  std::size_t max);

}  // namespace tideline::feed
