// What follows among projects from the closing of an account: its projects are abandoned, which
// takes them out of the lists of all, and an open vote on one of them is closed. Votes that it has
// cast no longer count where the vote is open; the tally of a closed vote stays as it was.
//
// Nothing is forgotten, whatever commands race with the closing:
// - AccountClosed waits until the directory of people knows it, then takes note of where this
//   service's own logs end, waits until the tables have come so far, and ends what they list;
// - whatever is begun behind those ends (ProjectCreated, VotingOpened, VoteCast) calls for its own
//   end if the directory knows who began it as closed, which it does by then.
// Every command decides on the streams as they stand, so one that comes again yields no event.
#pragma once

#include <memory>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/projections/reaction.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "people/people_directory.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

// All references outlive the rules.
struct ClosedAccountPorts {
  sql::Database& database;
  eventsourcing::EventLog& log;  // this service's own
  crypto::SubjectCipher& cipher;
  const people::PeopleDirectory& people;
  eventsourcing::AppliedPositions& people_applied;
  eventsourcing::AppliedPositions& projects_applied;
};

class ClosedAccountRules final : public eventsourcing::ReactionRules {
 public:
  explicit ClosedAccountRules(ClosedAccountPorts ports) : ports_(ports) {}

  std::string_view name() const override { return "closed-accounts"; }
  std::vector<std::string> sources() const override { return {"accounts", "projects"}; }
  bool concerns(const eventsourcing::RecordedEvent& event) const override;
  std::unique_ptr<eventsourcing::ProcessManager> process_manager(
      std::span<const eventsourcing::RecordedEvent> causes) override;

 private:
  const ClosedAccountPorts ports_;
};

}  // namespace tideline::projects
