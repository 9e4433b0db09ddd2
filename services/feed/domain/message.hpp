// One message, to one person or to a group. Its stream is its natural key: sender and time in
// microseconds, so that a key can be said without asking anybody for one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/decider.hpp"

namespace tideline::feed {

// The natural key of a message; also its place in a box.
struct MessageKey {
  core::Timestamp sent_at;
  core::AccountId sender;

  friend auto operator<=>(const MessageKey&, const MessageKey&) = default;
};

struct MessageSent {
  core::AccountId sender;
  std::optional<core::AccountId> recipient;  // nullopt: to a group
  std::optional<std::string> group_id;
  // Who gets it into his Inbox: the recipient, or the group's members when it was sent but for the
  // sender, who finds it under Sent.
  std::vector<core::AccountId> recipients;
  std::string text;
  core::Timestamp sent_at;
  std::string seen;  // the writer's position token, "" = none

  friend bool operator==(const MessageSent&, const MessageSent&) = default;
};

struct SendToPerson {
  core::AccountId sender;
  core::AccountId recipient;
  bool recipient_closed = false;
  std::string text;
  core::Timestamp now;
  std::string seen;

  friend bool operator==(const SendToPerson&, const SendToPerson&) = default;
};

struct SendToGroup {
  core::AccountId sender;
  std::string group_id;
  std::vector<core::AccountId> members;  // at this moment
  std::string text;
  core::Timestamp now;
  std::string seen;

  friend bool operator==(const SendToGroup&, const SendToGroup&) = default;
};

struct Message {
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
