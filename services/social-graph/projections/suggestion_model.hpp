// Table dismissed_suggestion: whom people do not want to be suggested any more. Part of
// GraphProjection; a row never changes.
#pragma once

#include <array>
#include <set>
#include <utility>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

class SuggestionModel {
 public:
  static constexpr std::array kTables{"dismissed_suggestion"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { dismissed_.clear(); }

 private:
  using Key = std::pair<core::AccountId, core::AccountId>;  // owner, other

  std::set<Key> dismissed_;  // since the last flush
};

}  // namespace tideline::social_graph
