// Publishes what everybody may know of a person's scores to the compacted topic tideline.scores,
// newest (version, as_of) wins:
//
//   {"account_id", "version", "as_of", "closed", "points", "level", "rank", "contributions",
//    "days", "day_contributions"}
//
// version is the number of events that have counted for the person: it rises with each of them, and
// every replay comes to the same one with the same points and contributions. contributions are
// those of all days; days and day_contributions, one beside the other, are the campus days from at
// least kDaysKept before as_of on that are not empty, those ahead too. So anyone who reads from
// kReadersBehind before as_of on has the last kCurrentScoreSpan days whole, however late he reads.
// rank is that of the campus day as_of. Of a closed account there is nothing but closed = true; it
// stays.
//
// Changes are gathered by person and read from the tables, so that what is published is committed:
// prepare_flush() waits for the engine's flush. The feed has no tables of its own; its checkpoint
// moves on only when all is acknowledged, so a state can be published again, never lost. Ranks move
// whenever anybody earns something: a person's is published with his own changes, and those of the
// first `ranks_daily` once a campus day.
//
// With each flush readers are told how far it has come, so that who has just earned something can
// wait for it: docs/adr/0054.
//
// Called by one runner thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/projections/state_topic.hpp"
#include "eventsourcing/topics/applied_positions.hpp"
#include "scoring/projections/calendar_queries.hpp"
#include "scoring/projections/engine/score_engine.hpp"
#include "scoring/projections/score_states.hpp"

namespace tideline::scoring {

// All must outlive the feed.
struct ScorePublisherPorts {
  const ScoreEngine& scores;
  // What the engine has in its tables.
  eventsourcing::AppliedPositions& committed;
  // Whether the engine has had every event that there was when it started: ranks before that would
  // be those of long ago.
  std::function<bool()> caught_up;
  eventsourcing::StatePublisher& topic;
  const core::CampusCalendar& campus;
  const core::Clock& clock;
};

struct ScorePublisherOptions {
  std::chrono::milliseconds interval{500};  // changes of one person within it are one
  std::size_t ranks_daily = 100'000;
  std::size_t events_max = 50'000;  // gathered, at most, before they are published
  std::chrono::milliseconds engine_wait_max{2'000};
};

class ScorePublisher final : public eventsourcing::Projection {
 public:
  static constexpr std::chrono::days kReadersBehind{2};
  static constexpr std::chrono::days kDaysKept =
      kCurrentScoreSpan - std::chrono::days(1) + kReadersBehind;

  ScorePublisher(ScorePublisherPorts ports, ScorePublisherOptions options)
      : ports_(std::move(ports)), options_(options) {}

  // `reached`: the feed's own positions in memory, as its runner has them. Before it runs.
  void tell(eventsourcing::AppliedPositions& reached) { reached_ = &reached; }

  std::string_view name() const override { return "score-feed"; }
  std::vector<std::string> sources() const override { return ports_.scores.sources(); }
  eventsourcing::FlushPolicy flush_policy() const override {
    return {options_.interval, options_.events_max};
  }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  // Blocks for at most engine_wait_max, until the engine has written what was applied here. Failed
  // when it has not and events_max are gathered: a pause, and from the checkpoint again.
  eventsourcing::Preparation prepare_flush() override;
  // Throws TransactionFailed when the topic fails.
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  core::Day today() const { return ports_.campus.day_of(ports_.clock.now()); }
  void add_first_ranks();
  void publish_changed(sql::Transaction& transaction);
  // `applied`: as StatePublisher::publish().
  void publish(sql::Transaction& transaction,
               const std::vector<eventsourcing::StateUpdate>& updates,
               const eventsourcing::PositionVector& applied);
  std::string value_of(const ScoreState& state, core::Day day) const;

  const ScorePublisherPorts ports_;
  const ScorePublisherOptions options_;
  std::set<core::AccountId> changed_;  // since the last flush
  std::size_t gathered_ = 0;           // events of theirs
  eventsourcing::PositionVector applied_;
  core::Day publishing_on_;
  std::optional<core::Day> ranked_on_;  // when the first ranks were last published
  eventsourcing::AppliedPositions* reached_ = nullptr;
};

}  // namespace tideline::scoring
