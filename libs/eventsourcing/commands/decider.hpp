// The decider: the pure heart of every aggregate (after Jérémie Chassaing, "Functional Event
// Sourcing Decider"). A domain file holds, in this order: events, state and evolve, commands and
// decide. No time, no randomness, no I/O: they come in with the command.
//
//   struct Comments {
//     using Event = std::variant<CommentAdded>;
//     struct State { ... };
//     using Command = std::variant<AddComment>;
//     static State evolve(State state, const Event& event);
//     static Decision<Event> decide(const State& state, const Command& command);
//   };
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/check.hpp"

namespace tideline::eventsourcing {

// How the edge answers a business "no".
enum class RejectionKind {
  Conflict,   // 409: the state of the world forbids it
  Invalid,    // 422: the command can never be right
  NotFound,   // 404: what it names does not exist, or not for it
  Forbidden,  // 403: somebody else may
};

// A "no" of the business: an ordinary value, part of the contract.
struct Rejection {
  RejectionKind kind = RejectionKind::Conflict;
  std::string code;    // stable, "contact-limit-reached"; becomes the problem's type
  std::string detail;  // a sentence for people

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

// The events that follow from a command (none when it has been done already), or a rejection.
template <class Event>
class Decision {
 public:
  Decision(std::vector<Event> events) : state_(std::move(events)) {}
  Decision(Rejection rejection) : state_(std::move(rejection)) {}

  static Decision nothing() { return Decision(std::vector<Event>{}); }
  static Decision of(Event event) {
    std::vector<Event> events;
    events.push_back(std::move(event));
    return Decision(std::move(events));
  }

  bool rejected() const { return std::holds_alternative<Rejection>(state_); }
  const Rejection& rejection() const {
    CHECK(rejected(), "a decision with events is no rejection");
    return std::get<Rejection>(state_);
  }
  const std::vector<Event>& events() const {
    CHECK(!rejected(), "a rejection has no events");
    return std::get<std::vector<Event>>(state_);
  }

 private:
  std::variant<std::vector<Event>, Rejection> state_;
};

template <class D>
concept Decider = requires(typename D::State state, const typename D::Event& event,
                           const typename D::Command& command) {
  requires std::default_initializable<typename D::State>;
  { D::evolve(std::move(state), event) } -> std::same_as<typename D::State>;
  { D::decide(state, command) } -> std::same_as<Decision<typename D::Event>>;
};

// std::visit with one lambda an alternative and no catch-all: a new event breaks the build.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace tideline::eventsourcing
