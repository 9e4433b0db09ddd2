// What follows in the graph from the closing of an account: its contacts and open contact requests
// end as if it had ended them itself, so that the other side's place is free again; it follows
// nobody, so that it is counted as nobody's follower; it leaves its groups, and those that are its
// own are dissolved. Its followers, tags and moment settings stay: who reads them asks whether an
// account is closed.
//
// Nothing is forgotten, whatever commands race with the closing:
// - AccountClosed waits until the directory of people knows it, then takes note of where this
//   service's own logs end, waits until the tables of the graph have come so far, and ends what
//   they list;
// - whatever is begun behind those ends (ContactRequested, ContactAccepted, Followed, GroupJoined)
// calls
//   for its own end if the directory knows the account as closed, which it does by then. A group
//   that is handed over calls for none: only a member gets it, and the end of that membership
//   either comes first or dissolves the group.
// Every command decides on the stream as it stands, so one that comes again yields no event.
#pragma once

#include <cstdint>
#include <memory>

#include "eventsourcing/projections/reaction.hpp"
#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "people/people_directory.hpp"
#include "social-graph/api/group_commands.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// All references outlive the rules.
struct ClosedAccountPorts {
  sql::Database& database;
  eventsourcing::EventLog& log;  // this service's own
  const people::PeopleDirectory& people;
  eventsourcing::AppliedPositions& people_applied;
  eventsourcing::AppliedPositions& graph_applied;
  GroupCommands groups;
};

class ClosedAccountRules final : public eventsourcing::ReactionRules {
 public:
  explicit ClosedAccountRules(ClosedAccountPorts ports);
  ~ClosedAccountRules() override;

  std::string_view name() const override { return "closed-accounts"; }
  std::vector<std::string> sources() const override { return {"accounts", "social-graph"}; }
  bool concerns(const eventsourcing::RecordedEvent& event) const override;
  std::unique_ptr<eventsourcing::ProcessManager> process_manager(
      std::span<const eventsourcing::RecordedEvent> causes) override;

 private:
  class ClosedAccountProcessManager;
  const std::shared_ptr<const ClosedAccountPorts> ports_;
};

}  // namespace tideline::social_graph
