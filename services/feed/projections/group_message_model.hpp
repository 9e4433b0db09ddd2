// Tables `group_message` and `group_mark`: the list of a group's messages, and up to which of them
// somebody has read. Part of FeedProjection. Marks only rise; that a message is recalled comes
// after it, in its own stream.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class GroupMessageModel {
 public:
  static constexpr std::array kTables{"group_message", "group_mark"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  // A group and a message of it.
  using Place = std::pair<std::string, MessageKey>;

  std::map<Place, std::string> sent_;  // with what its sender had seen
  std::set<Place> recalled_;
  std::map<std::pair<core::AccountId, std::string>, MessageKey> marks_;
};

}  // namespace tideline::feed
