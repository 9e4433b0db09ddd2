// One message, to one person or to a group, perhaps taken back soon. Its stream is its natural key:
// sender and time in microseconds, so that a key can be said without asking anybody for one.
#pragma once

#include <chrono>
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
  std::vector<std::string> images{};

  // Whoever it is to gets no message of the sender's.
  bool refused() const { return recipient == sender || recipient_closed; }

  friend bool operator==(const SendToPerson&, const SendToPerson&) = default;
};

struct SendToGroup {
  core::AccountId sender;
  std::string group_id;
  bool is_member = false;
  std::string text;
  core::Timestamp now;
  std::vector<std::string> images{};

  friend bool operator==(const SendToGroup&, const SendToGroup&) = default;
};

// Of a message of this stream, by its sender.
struct RecallMessage {
  core::Timestamp now;

  friend bool operator==(const RecallMessage&, const RecallMessage&) = default;
};

struct Message {
  static constexpr bool kReadsText = false;
  static constexpr std::uint32_t kEventsMax = 2;  // sent, then recalled

  static constexpr std::size_t kTextCodePointsMax = 4000;
  static constexpr std::size_t kImagesMax = 9;
  static constexpr std::chrono::minutes kRecallableFor{2};

  using Event = std::variant<MessageSent, MessageRecalled>;
  struct State {
    bool sent = false;
    bool recalled = false;
    core::AccountId sender;
    std::optional<core::AccountId> recipient;
    std::optional<std::string> group_id;
    core::Timestamp sent_at;
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<SendToPerson, SendToGroup, RecallMessage>;
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::feed
