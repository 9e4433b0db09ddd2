// Table `pinned_moment`: which moment somebody's page shows first. Part of FeedProjection; a row is
// fed by one stream, and gone while none is pinned. Says nothing of who may see the moment: ask the
// engine.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class PinnedMomentModel {
 public:
  static constexpr std::array kTables{"pinned_moment"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { changes_.clear(); }

 private:
  std::map<core::AccountId, std::optional<core::MomentId>> changes_;  // since the last flush
};

// Blocks on the database and throws TransactionFailed, as the Transaction does.
std::optional<core::MomentId> find_pinned(sql::Transaction& transaction,
                                          const core::AccountId& author);

}  // namespace tideline::feed
