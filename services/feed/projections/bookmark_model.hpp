// Table `bookmark`: who has bookmarked which moment. Part of FeedProjection; a row is fed by one
// stream, and gone once the bookmark is removed.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class BookmarkModel {
 public:
  static constexpr std::array kTables{"bookmark"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { changes_.clear(); }

 private:
  using Key = std::pair<core::AccountId, core::MomentId>;

  // Since the last flush. One without a time was removed.
  std::map<Key, std::optional<core::Timestamp>> changes_;
};

}  // namespace tideline::feed
