// The steps that commands are made of: load a stream, decide on it, stage what follows.
//
//   auto changed = change<Follow>(session, stream, FollowCodec{}, FollowPerson{me, other});
//   if (!changed) return changed.stopped();
#pragma once

#include <utility>
#include <variant>

#include "core/check.hpp"
#include "eventsourcing/commands/command.hpp"

namespace tideline::eventsourcing {

// A value, or what the whole command is answered with instead.
template <class T>
class [[nodiscard]] Step {
 public:
  Step(T value) : state_(std::move(value)) {}
  Step(Rejection rejection) : state_(std::move(rejection)) {}
  Step(core::Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T* operator->() const { return std::get_if<T>(&state_); }
  const T& operator*() const { return std::get<T>(state_); }

  CommandResult stopped() const {
    if (const auto* error = std::get_if<core::Error>(&state_)) return *error;
    CHECK(std::holds_alternative<Rejection>(state_), "the step has a value");
    return std::get<Rejection>(state_);
  }
  // The same stop, of a step that would have given something else.
  template <class Other>
  Step<Other> stopped_as() const {
    if (const auto* error = std::get_if<core::Error>(&state_)) return *error;
    CHECK(std::holds_alternative<Rejection>(state_), "the step has a value");
    return std::get<Rejection>(state_);
  }

 private:
  std::variant<T, Rejection, core::Error> state_;
};

template <Decider D>
struct Changed {
  typename D::State state;                // after the events
  std::vector<typename D::Event> events;  // none: it had been done already
};

namespace detail {

template <Decider D, CodecOf<D> C>
Step<Changed<D>> decide_and_stage(CommandSession& session, const core::Result<Loaded<D>>& loaded,
                                  const C& codec, const typename D::Command& command) {
  if (!loaded) return loaded.error();
  const auto decision = D::decide(loaded->state, command);
  if (decision.rejected()) return decision.rejection();
  session.stage(*loaded, decision.events(), codec);
  Changed<D> changed{loaded->state, decision.events()};
  for (const auto& event : changed.events) {
    changed.state = D::evolve(std::move(changed.state), event);
  }
  return changed;
}

}  // namespace detail

template <Decider D, CodecOf<D> C>
Step<Changed<D>> change(CommandSession& session, const core::StreamId& stream, const C& codec,
                        const typename D::Command& command) {
  return detail::decide_and_stage<D>(session, session.load<D>(stream, codec), codec, command);
}

// Stages the first events of a stream whose id was drawn for this attempt: that it is nobody else's
// yet is seen when they are appended, and every attempt draws again.
template <Decider D, CodecOf<D> C>
Step<Changed<D>> begin(CommandSession& session, const core::StreamId& stream, const C& codec,
                       const typename D::Command& command) {
  return detail::decide_and_stage<D>(session, session.presume_new<D>(stream), codec, command);
}

template <Decider D>
struct Creation {
  core::StreamId stream;
  typename D::Command command;
};

// Stages the first of the creations that `next` gives whose stream has no event yet, for ids that
// each attempt would make of the same time.
template <Decider D, CodecOf<D> C, class Next>
Step<Creation<D>> create(CommandSession& session, const C& codec, int tries, const Next& next) {
  for (int i = 0; i < tries; ++i) {
    Creation<D> creation = next();
    const auto loaded = session.load<D>(creation.stream, codec);
    if (loaded && loaded->version > core::StreamVersion(0)) continue;
    const auto changed = detail::decide_and_stage<D>(session, loaded, codec, creation.command);
    if (!changed) return changed.template stopped_as<Creation<D>>();
    return creation;
  }
  return core::unavailable("every id that was tried is taken");
}

// For streams whose every event carries the whole state.
template <Decider D, CodecOf<D> C>
Step<Changed<D>> change_last(CommandSession& session, const core::StreamId& stream, const C& codec,
                             const typename D::Command& command) {
  return detail::decide_and_stage<D>(session, session.load_last<D>(stream, codec), codec, command);
}

}  // namespace tideline::eventsourcing
