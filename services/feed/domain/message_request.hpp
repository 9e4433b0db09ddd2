// What stands between a recipient and the messages of somebody who is no contact. Until the
// recipient accepts them they are requests, apart from the inbox, and there are few of them. Who is
// ignored is not told. Whoever writes to somebody accepts what is written back.
//
// Accepting is for good; whom one does not want to hear any more one blocks. So where a message
// lies depends on the last answer alone, in whatever order events come.
#pragma once

#include <cstdint>
#include <variant>

#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "eventsourcing/commands/limited_count.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

// Commands
// A message is sent to who has not accepted it.
struct WriteToStranger {
  core::AccountId recipient;
  core::AccountId sender;
};
struct AnswerMessageRequest {
  core::AccountId recipient;
  core::AccountId sender;
  RequestAnswer answer = RequestAnswer::Accepted;
};
// The recipient has written to the sender.
struct WelcomeMessages {
  core::AccountId recipient;
  core::AccountId sender;
};

struct MessageRequest {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  static constexpr std::int64_t kWaitingMax = 3;

  using Event = std::variant<MessageRequestChanged>;
  struct State {
    RequestAnswer answer = RequestAnswer::None;
    std::int64_t sent = 0;

    bool accepted() const { return answer == RequestAnswer::Accepted; }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<WriteToStranger, AnswerMessageRequest, WelcomeMessages>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

// How many people who had not accepted one has written to for the first time, on one day.
using StrangerCount = eventsourcing::LimitedCount<StrangerCountChanged, core::AccountId>;
inline constexpr std::int64_t kStrangersADay = 50;

}  // namespace tideline::feed
