// Reactions: an event that causes events.
//
// What the rules call for is done by ordinary commands before the checkpoint moves past the event,
// so that nothing is forgotten; and each command carries an idempotency key made of the event's
// place, "source/log/position/rule", so that nothing is done twice: whatever dies between append
// and checkpoint, and whoever else was given the partition meanwhile. Keys expire after 7 days.
// After that, or with keys and checkpoints lost, a command that comes again is decided again; so a
// rule calls for commands that yield no event where they have been done already. A rejection is an
// outcome like another: the event has been dealt with.
//
// A reaction is a projection without tables. A rebuild has nothing to build from it and never
// drives one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "eventsourcing/commands/command.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

struct ReactionCommand {
  const RecordedEvent* cause = nullptr;  // of the batch that the ProcessManager were made for
  // What is done to whom ("end-contact/<account>"), the same whenever the event comes again. With
  // the event's place it is the idempotency key.
  std::string rule;
  // As for run_command(): it may run several times.
  std::function<CommandResult(CommandSession&)> body;
};

// What a batch of events calls for, piece by piece.
class ProcessManager {
 public:
  struct Piece {
    std::vector<ReactionCommand> commands;
    // True: to be asked again, after these commands or, without any, when that which the rules wait
    // for may have come.
    bool more = false;
  };

  virtual ~ProcessManager() = default;
  // At most `limit` commands. May read tables and block shortly. An Error is a passing one.
  virtual core::Result<Piece> next(std::size_t limit) = 0;
};

// Which events call for what. Called by one runner thread.
class ReactionRules {
 public:
  virtual ~ReactionRules() = default;

  // As of the projection: also the name of its checkpoints and part of its idempotency keys.
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string> sources() const = 0;
  // Whether the event may call for something. Pure. Throws PoisonEvent for data that
  // process_manager() could not read.
  virtual bool concerns(const RecordedEvent& event) const = 0;
  // Of events that concern these rules; `causes` outlives what is returned. No I/O.
  virtual std::unique_ptr<ProcessManager> process_manager(
      std::span<const RecordedEvent> causes) = 0;
};

class Reaction final : public Projection {
 public:
  // All that is given outlives the reaction. The caused events carry `clock`'s time, the causing
  // event's id as their causation, and its correlation.
  Reaction(std::unique_ptr<ReactionRules> rules, EventStore& store, const core::Clock& clock);
  ~Reaction() override;

  std::string_view name() const override { return rules_->name(); }
  std::vector<std::string> sources() const override { return rules_->sources(); }
  void load(sql::Transaction& transaction) override;
  void apply(const RecordedEvent& event) override;
  // Runs at most 100 commands, so that a stop and a rebalance need not wait for a long consequence.
  Preparation prepare_flush() override;
  void flush(sql::Transaction&) override {
  }  // the runner's checkpoint is all that there is to write

 private:
  core::Status carry_out(const ReactionCommand& command);

  const std::unique_ptr<ReactionRules> rules_;
  EventStore& store_;
  const core::Clock& clock_;
  std::vector<RecordedEvent> gathered_;  // applied, not looked at yet
  std::vector<RecordedEvent> causes_;    // what `process_manager_` are made for
  std::unique_ptr<ProcessManager> process_manager_;
};

}  // namespace tideline::eventsourcing
