// Reads tables `poll` and `poll_vote`. Says nothing of who may see a poll or its result: ask the
// engine first.
//
// Functions block on the database and throw TransactionFailed, as the Transaction does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

struct PollRow {
  core::AccountId author;
  std::string sealed_options;
  std::size_t options = 0;
  bool is_multiple = false;
  core::Timestamp closes_at;
};

// Those of `moments` that have one.
std::map<core::MomentId, PollRow> find_polls(sql::Transaction& transaction,
                                             std::span<const core::MomentId> moments);

// What they have chosen, as bits; 0: nothing.
std::uint32_t find_poll_vote(sql::Transaction& transaction, core::MomentId moment,
                             const core::AccountId& voter);

// Of all but those who have closed their account.
struct PollResult {
  std::size_t voters = 0;
  std::vector<std::size_t> votes;  // of each option
};
PollResult count_poll_votes(sql::Transaction& transaction, core::MomentId moment,
                            std::size_t options);

struct GivenPollVote {
  core::MomentId moment;
  std::uint32_t choices = 0;
  core::Timestamp voted_at;
};
// By moment; the default id is ahead of all.
std::vector<GivenPollVote> list_poll_votes_by(sql::Transaction& transaction,
                                              const core::AccountId& voter, core::MomentId after,
                                              int limit);

}  // namespace tideline::feed
