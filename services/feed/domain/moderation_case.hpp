// What moderators have to decide on: open from the first report until a decision, and again from
// another person's report. What is hidden nobody can report; it can be restored. Every event
// carries all that the next command needs. What follows of a decision for the moment or the comment
// is appended with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "core/clock.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/domain/report.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
struct OpenCase {
  Subject subject;
  core::AccountId author;
  core::Timestamp now;
};
struct DecideCase {
  core::AccountId moderator;
  bool has_reported = false;  // the moderator has reported it, in whatever opening
  CaseDecision decision = CaseDecision::Dismissed;
  std::string reason;
  core::Timestamp now;
};

// Who sees it from now on: what is reported is hidden, what is hidden restored.
struct RuleCase {
  core::AccountId moderator;
  bool has_reported = false;
  CaseRuling ruling = CaseRuling::Hidden;
  std::string reason;
  core::Timestamp now;
};

struct ModerationCase {
  static constexpr bool kReadsText = false;
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  static constexpr std::size_t kReasonCodePointsMax = 1000;

  using Event = std::variant<CaseOpened, CaseDecided, CaseRuled>;
  struct State {
    Subject subject;
    core::AccountId author;
    std::uint32_t opening = 0;  // 0: nobody has reported it
    bool open = false;
    bool hidden = false;  // then it is not open
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<OpenCase, DecideCase, RuleCase>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
