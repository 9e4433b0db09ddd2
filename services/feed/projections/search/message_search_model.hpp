// Table `message_search`: by what words each message is found. Part of SearchProjection.
#pragma once

#include <array>
#include <map>
#include <set>
#include <vector>

#include "feed/domain/message_key.hpp"
#include "feed/projections/search/word_opener.hpp"
#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class MessageSearchModel {
 public:
  static constexpr std::array kTables{"message_search"};

  void apply(const eventsourcing::RecordedEvent& event);
  // As MomentSearchModel::flush().
  void flush(sql::Transaction& transaction, const WordOpener& opener,
             const std::set<core::AccountId>& closed) const;
  void clear();

 private:
  // Since the last flush. A message that was recalled in it is in both.
  std::map<MessageKey, read::MessageSent> sent_;
  std::set<MessageKey> recalled_;
};

}  // namespace tideline::feed
