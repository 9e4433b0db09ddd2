// What an engine shows while some logs are ahead of others, held to what was so at one time: for a
// history in which every writer had seen all that was before him.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trial.hpp"

namespace tideline::feed::testing {

class LooksAtOneTime {
 public:
  explicit LooksAtOneTime(const Trial& trial)
      : trial_(trial),
        history_(trial.history, History::Tokens::All),
        last_on_(history_.people().size()) {
    Oracle oracle;
    note(oracle);
    for (const auto& event : history_.events()) {
      oracle.deliver(event);
      note(oracle);
    }
  }

  // The first answer that shows a moment which was shown to its viewer at no time since the first
  // event that the engine has not got.
  Difference run(const BrokenEngine& broken = {}) {
    FeedEngine engine(options_of(trial_, broken));
    Delivery delivery(history_, engine, Tape(trial_.interleaving), broken.misread);
    while (delivery.step()) {
      if (!delivery.is_comparable()) continue;
      const std::size_t since = known_without_a_gap(delivery.oracle().delivered());
      for (std::size_t v = 0; v < history_.people().size(); ++v) {
        ++looks_;
        looks_ahead_ += delivery.delivered().size() > since ? 1 : 0;
        if (auto wrong = look(engine, v, since)) return wrong;
      }
    }
    return std::nullopt;
  }

  std::size_t looks() const { return looks_; }
  // Of these, those while something later had come before something earlier.
  std::size_t looks_ahead() const { return looks_ahead_; }

 private:
  // After as many events as there are, from none to all.
  void note(const Oracle& oracle) {
    const std::size_t time = times_++;
    for (std::size_t v = 0; v < history_.people().size(); ++v) {
      for (const auto id : oracle.timeline(history_.people()[v])) last_on_[v][id] = time;
    }
  }

  std::size_t known_without_a_gap(const eventsourcing::PositionVector& delivered) const {
    const auto& events = history_.events();
    const auto missing = std::ranges::find_if(events, [&](const auto& event) {
      return delivered.at(event.source, event.log) < event.position;
    });
    return static_cast<std::size_t>(missing - events.begin());
  }

  Difference look(FeedEngine& engine, std::size_t v, std::size_t since) const {
    const auto& last_on = last_on_[v];
    const core::AccountId& viewer = history_.people()[v];
    for (const auto& entry : engine.reader().timeline(viewer, {}, 10'000).entries) {
      // His own are his at once.
      if (entry.author == viewer) continue;
      const std::uint64_t id = entry.id.value();
      const auto last = last_on.find(id);
      if (last != last_on.end() && last->second >= since) continue;
      return "viewer " + std::to_string(v) + " is shown " + std::to_string(id) + " after " +
             std::to_string(since) + " events, which " +
             (last == last_on.end() ? "never was"
                                    : "last was after " + std::to_string(last->second));
    }
    return std::nullopt;
  }

  const Trial trial_;
  const History history_;
  // Of each viewer and moment, the last time at which it was on his timeline.
  std::vector<std::map<std::uint64_t, std::size_t>> last_on_;
  std::size_t times_ = 0;
  std::size_t looks_ = 0;
  std::size_t looks_ahead_ = 0;
};

}  // namespace tideline::feed::testing
