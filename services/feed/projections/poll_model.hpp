// Tables `poll` and `poll_vote`. Part of FeedProjection. A poll is opened and deleted by its
// moment's stream, a vote is the only event of its own.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class PollModel {
 public:
  static constexpr std::array kTables{"poll", "poll_vote"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  // Since the last flush. nullopt: the moment was deleted.
  std::map<core::MomentId, std::optional<read::PollOpened>> polls_;
  std::map<std::pair<core::MomentId, core::AccountId>, PollVoted> votes_;
};

}  // namespace tideline::feed
