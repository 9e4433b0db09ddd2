#include "projects/projections/voting_model.hpp"

#include "eventsourcing/commands/decider.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

using eventsourcing::Overloaded;

void VotingModel::apply(const eventsourcing::RecordedEvent& event) {
  if (const auto voting = eventsourcing::read_any<Voting::Event>(event)) {
    std::visit(
        Overloaded{
            [&](const VotingOpened& opened) { state_by_project_[opened.project_id] = "open"; },
            [&](const VotingClosed& closed) { state_by_project_[closed.project_id] = "closed"; },
        },
        *voting);
  }
  if (const auto vote = eventsourcing::read_any<Vote::Event>(event)) {
    std::visit(Overloaded{
                   [&](const VoteCast& cast) {
                     ++tally_delta_by_project_[cast.project_id];
                     standing_by_vote_[{cast.project_id, cast.voter}] = true;
                   },
                   [&](const VoteWithdrawn& withdrawn) {
                     --tally_delta_by_project_[withdrawn.project_id];
                     standing_by_vote_[{withdrawn.project_id, withdrawn.voter}] = false;
                   },
               },
               *vote);
  }
}

void VotingModel::flush(sql::Transaction& transaction) const {
  flush_states(transaction);
  flush_votes(transaction);
  flush_tallies(transaction);
}

void VotingModel::clear() {
  state_by_project_.clear();
  tally_delta_by_project_.clear();
  standing_by_vote_.clear();
}

void VotingModel::flush_states(sql::Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO voting (project_id, state) SELECT * FROM unnest($1::text[], $2::text[])"
      " ON CONFLICT (project_id) DO UPDATE SET state = excluded.state",
      state_by_project_, sql::kKey, sql::kValue);
}

void VotingModel::flush_votes(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO vote (project_id, voter, standing)"
                   " SELECT * FROM unnest($1::text[], $2::uuid[], $3::boolean[])"
                   " ON CONFLICT (project_id, voter) DO UPDATE SET standing = excluded.standing",
                   standing_by_vote_, &VoteKey::first, &VoteKey::second, sql::kValue);
}

void VotingModel::flush_tallies(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO voting AS held (project_id, tally)"
                   " SELECT * FROM unnest($1::text[], $2::bigint[])"
                   " ON CONFLICT (project_id) DO UPDATE SET tally = held.tally + excluded.tally",
                   tally_delta_by_project_, sql::kKey, sql::kValue);
}

}  // namespace tideline::projects
