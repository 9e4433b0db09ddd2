// Asks memory in advance for what the fan-outs of coming moments will touch: who their author is,
// where their contacts lie, who these are, their heads, the places of their next ids. Each of these
// is known only when the one before is there, so that a fan-out by itself waits five times; here
// each step belongs to another moment, and nobody waits.
//
// Changes nothing and may be wrong: events that were not announced come in between, and the last
// ones of a poll have nobody behind them. On the thread that applies events, under no lock: it
// reads of the three memories, which outlive it, what readers do not write, thus heads' addresses
// alone.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/ids.hpp"
#include "feed/projections/engine/graph_memory.hpp"
#include "feed/projections/engine/moment_memory.hpp"
#include "feed/projections/engine/viewer_timelines.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

class FanOutPrefetcher {
 public:
  // How many events ahead an event is best announced: one for each step.
  static constexpr std::size_t kEvents = 5;

  FanOutPrefetcher(const GraphMemory& graph, const MomentMemory& moments,
                   ViewerTimelines& timelines)
      : graph_(graph), moments_(moments), timelines_(timelines) {}

  // Of every event, in the order of their use; nullptr: one that is not used.
  void prefetch(const read::Event* event);
  // To whom the moment goes that is used next: those whose heads are there, and whose ends are best
  // asked for while memory has nothing else to do.
  std::span<const PersonIndex> next_viewers() const;
  // The memories have been exchanged.
  void forget() { coming_ = {}; }

 private:
  struct Author {
    core::AccountId account;
    PersonIndex number = GraphMemory::kStranger;  // until the second step; of what is no moment
  };
  void ask_for_facts(Author& author) const;
  void ask_for_contacts(PersonIndex author) const;
  void ask_for_heads(PersonIndex author);

  const GraphMemory& graph_;
  const MomentMemory& moments_;
  ViewerTimelines& timelines_;
  std::array<Author, kEvents> coming_;  // the newest first
};

}  // namespace tideline::feed
