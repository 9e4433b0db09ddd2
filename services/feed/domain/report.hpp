// That somebody has reported a moment, or a comment on it, to the moderators: once for good, so
// that nobody raises what is reported by repeating himself. Whether he may see it is asked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "eventsourcing/commands/limited_count.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// What is reported, and decided on.
struct Subject {
  core::MomentId moment;
  std::optional<core::CommentId> comment;  // nullopt: the moment itself

  // As streams and tables name it; 0: the moment itself.
  core::CommentId comment_key() const { return comment.value_or(core::CommentId()); }

  friend bool operator==(const Subject&, const Subject&) = default;
};

// Commands
struct ReportSubject {
  Subject subject;
  core::AccountId author;  // whose moment or comment it is
  core::AccountId reporter;
  std::uint32_t opening = 1;  // of the case
  ReportCategory category = ReportCategory::Other;
  std::string text;
  core::Timestamp now;
};

struct Report {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kEventsMax = 1;

  static constexpr std::size_t kTextCodePointsMax = 500;

  using Event = std::variant<SubjectReported>;
  struct State {
    bool reported = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ReportSubject>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

// How much one has reported on one day.
using ReportCount = eventsourcing::LimitedCount<ReportCountChanged, core::AccountId>;
inline constexpr std::int64_t kReportsADay = 50;

}  // namespace tideline::feed
