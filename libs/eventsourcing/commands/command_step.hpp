// The steps that commands are made of: load a stream, decide on it, stage what follows.
//
//   auto changed = change<Follow>(session, stream, FollowCodec{}, FollowPerson{me, other});
//
// What keeps a step from its value ends the command: Rejected or core::Failed is thrown, for
// whoever runs the command to take.
#pragma once

#include <utility>
#include <variant>

#include "core/check.hpp"
#include "eventsourcing/commands/command.hpp"

namespace tideline::eventsourcing {

template <Decider D>
struct Changed {
  typename D::State state;                // after the events
  std::vector<typename D::Event> events;  // none: it had been done already
};

// Of a stream that has been loaded already. Throws Rejected where the domain refuses.
template <Decider D, CodecOf<D> C>
Changed<D> change(CommandSession& session, const Loaded<D>& loaded, const C& codec,
                  const typename D::Command& command) {
  const auto decision = D::decide(loaded.state, command);
  if (decision.rejected()) throw Rejected(decision.rejection());
  session.stage(loaded, decision.events(), codec);
  Changed<D> changed{loaded.state, decision.events()};
  for (const auto& event : changed.events) {
    changed.state = D::evolve(std::move(changed.state), event);
  }
  return changed;
}

template <Decider D, CodecOf<D> C>
Changed<D> change(CommandSession& session, const core::StreamId& stream, const C& codec,
                  const typename D::Command& command) {
  return change<D>(session, session.load<D>(stream, codec), codec, command);
}

// Stages the first events of a stream whose id was drawn for this attempt: that it is nobody else's
// yet is seen when they are appended, and every attempt draws again.
template <Decider D, CodecOf<D> C>
Changed<D> begin(CommandSession& session, const core::StreamId& stream, const C& codec,
                 const typename D::Command& command) {
  return change<D>(session, session.presume_new<D>(stream), codec, command);
}

template <Decider D>
struct Creation {
  core::StreamId stream;
  typename D::Command command;
};

// Stages the first of the creations that `next` gives whose stream has no event yet, for ids that
// each attempt would make of the same time.
template <Decider D, CodecOf<D> C, class Next>
Creation<D> create(CommandSession& session, const C& codec, int tries, const Next& next) {
  for (int i = 0; i < tries; ++i) {
    Creation<D> creation = next();
    const auto loaded = session.load<D>(creation.stream, codec);
    if (loaded.version > core::StreamVersion(0)) continue;
    change<D>(session, loaded, codec, creation.command);
    return creation;
  }
  throw core::Failed(core::unavailable("every id that was tried is taken"));
}

// For streams whose every event carries the whole state.
template <Decider D, CodecOf<D> C>
Changed<D> change_last(CommandSession& session, const core::StreamId& stream, const C& codec,
                       const typename D::Command& command) {
  return change<D>(session, session.load_last<D>(stream, codec), codec, command);
}

}  // namespace tideline::eventsourcing
