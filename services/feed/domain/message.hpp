// One message, to one person or to a group. Its stream is its natural key: sender and time in
// microseconds, so that a key can be said without asking anybody for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

struct SendToPerson {
  core::AccountId sender;
  core::AccountId recipient;
  bool recipient_closed = false;
  std::string text;
  core::Timestamp now;
  bool is_request = false;  // the recipient has not accepted the sender's messages

  // Whoever it is to gets no message of the sender's.
  bool refused() const { return recipient == sender || recipient_closed; }

  friend bool operator==(const SendToPerson&, const SendToPerson&) = default;
};

struct SendToGroup {
  core::AccountId sender;
  std::string group_id;
  std::vector<core::AccountId> members;  // at this moment
  std::string text;
  core::Timestamp now;

  friend bool operator==(const SendToGroup&, const SendToGroup&) = default;
};

struct Message {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kEventsMax = 1;  // sent

  static constexpr std::size_t kTextCodePointsMax = 4000;

  using Event = std::variant<MessageSent>;
  struct State {
    bool sent = false;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<SendToPerson, SendToGroup>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
