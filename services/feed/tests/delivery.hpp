// Brings a history's events to an engine as a runner over topics does: the logs in any
// interleaving, a few records of one at a time, some of them again, and now and then a restart:
// everything from the first event, or from a snapshot that was taken some time before. Of some
// events the engine is told in advance. Each event also goes to the oracle, when the engine has it
// first.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/topics/applied_positions.hpp"
#include "eventsourcing/topics/partition_progress.hpp"
#include "feed/projections/engine/feed_engine.hpp"
#include "histories.hpp"
#include "oracle.hpp"
#include "saved_engine.hpp"
#include "sql/no_tables.hpp"

namespace tideline::feed::testing {

using Events = std::vector<eventsourcing::RecordedEvent>;
// What the engine is given instead of an event: for one that does not understand it.
using Misreading = std::function<Events(const eventsourcing::RecordedEvent&)>;

class Delivery {
 public:
  // All but the tape and the misreading outlive it. `saved`, if there is one, restores the engine.
  Delivery(const History& history, FeedEngine& engine, Tape tape, Misreading misread = {},
           SavedEngine* saved = nullptr)
      : engine_(engine), tape_(std::move(tape)), misread_(std::move(misread)), saved_(saved) {
    for (const auto& event : history.events()) logs_[{event.source, event.log}].push_back(event);
    for (const auto& [log, events] : logs_) reading_[log];
    applied_.reset(engine_.sources(), {});
    engine_.watch(applied_);
  }

  // One poll of one log, or a restart before it. False when there is nothing left.
  bool step() {
    std::vector<Log> unfinished;
    for (const auto& [log, place] : reading_) {
      if (place.next < logs_.at(log).size()) unfinished.push_back(log);
    }
    if (unfinished.empty()) return false;
    const Log log = unfinished[tape_.below(static_cast<std::uint32_t>(unfinished.size()))];
    const std::uint32_t chance = tape_.below(64);
    if (chance >= 62) restart();
    if (saved_ != nullptr && (chance == 60 || chance == 61)) saved_->save(engine_, places());
    Place& place = reading_.at(log);
    if (chance < 8) place.next -= std::min<std::size_t>(place.next, chance);
    const Events& events = logs_.at(log);
    std::uint32_t run = 1 + tape_.below(4);
    bool news = false;  // a poll has at least one
    while (place.next < events.size() && (run > 0 || !news)) {
      if (!misread_ && chance % 2 == 0) {
        const std::size_t soon = place.next + chance / 2 % (FeedEngine::kPrefetchAhead + 1);
        if (soon < events.size()) engine_.prefetch(events[soon]);
      }
      news |= take(place, events[place.next]);
      ++place.next;
      run -= run > 0 ? 1 : 0;
    }
    return true;
  }

  const Oracle& oracle() const { return oracle_; }
  // What the oracle has got, in that order.
  const Events& delivered() const { return delivered_; }
  eventsourcing::AppliedPositions& applied() { return applied_; }
  // False after a restart, until the engine has again what it had before.
  bool is_comparable() const { return at_engine_ == oracle_.delivered(); }

 private:
  using Log = std::pair<std::string, core::LogIndex>;
  struct Place {
    std::size_t next = 0;
    eventsourcing::PartitionProgress progress;
  };

  void restart() {
    if (saved_ != nullptr) saved_->use(tape_.below(3) > 0);
    applied_.reset(engine_.sources(), {});
    sql::NoTables no_tables;
    engine_.load(no_tables);
    const auto loaded = engine_.loaded_places();
    at_engine_ = {};
    for (auto& [log, place] : reading_) {
      place = {};
      const auto from = loaded.find({log.first, log.second});
      if (from == loaded.end()) continue;
      place.next = static_cast<std::size_t>(from->second.next_offset.value());
      place.progress.restart(from->second.position, from->second.next_offset);
      at_engine_.raise(log.first, log.second, from->second.position);
    }
    applied_.reset(engine_.sources(), at_engine_);
  }

  eventsourcing::PartitionPlaces places() const {
    eventsourcing::PartitionPlaces places;
    for (const auto& [log, place] : reading_) {
      places[{log.first, log.second}] = {place.progress.position(),
                                         core::KafkaOffset(static_cast<std::int64_t>(place.next))};
    }
    return places;
  }

  bool take(Place& place, const eventsourcing::RecordedEvent& event) {
    const core::KafkaOffset offset(static_cast<std::int64_t>(place.next));
    const auto verdict = place.progress.look_at(event.position, offset);
    if (verdict != eventsourcing::Verdict::Apply) return false;
    if (misread_) {
      for (const auto& instead : misread_(event)) engine_.apply(instead);
    } else {
      engine_.apply(event);
    }
    place.progress.applied(event.position, offset);
    at_engine_.raise(event.source, event.log, event.position);
    applied_.advance(at_engine_);
    if (oracle_.delivered().at(event.source, event.log) < event.position) {
      oracle_.deliver(event);
      delivered_.push_back(event);
    }
    return true;
  }

  FeedEngine& engine_;
  Tape tape_;
  Misreading misread_;
  SavedEngine* saved_;
  Oracle oracle_;
  Events delivered_;
  std::map<Log, Events> logs_;
  std::map<Log, Place> reading_;
  eventsourcing::PositionVector at_engine_;
  eventsourcing::AppliedPositions applied_;
};

}  // namespace tideline::feed::testing
