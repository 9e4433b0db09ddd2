// Tables voting and vote. Part of ProjectsProjection. A project's row in voting is fed by many
// streams: its state by the ballot box alone, its tally by deltas, so that all interleavings agree,
// also a vote that arrives before the opening that it was cast after.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

class VotingModel {
 public:
  static constexpr std::array kTables{"voting", "vote"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  using VoteKey = std::pair<std::string, core::AccountId>;  // project, voter

  void flush_states(sql::Transaction& transaction) const;
  void flush_votes(sql::Transaction& transaction) const;
  void flush_tallies(sql::Transaction& transaction) const;

  // Since the last flush.
  std::map<std::string, std::string> state_by_project_;
  std::map<std::string, std::int64_t> tally_delta_by_project_;
  std::map<VoteKey, bool> standing_by_vote_;
};

}  // namespace tideline::projects
