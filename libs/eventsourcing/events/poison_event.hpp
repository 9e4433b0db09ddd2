// An event that cannot be read.
#pragma once

#include <stdexcept>

namespace tideline::eventsourcing {

// Thrown by a projection's apply(), before it has changed anything, for an event that can never be
// applied (its data breaks its contract). The runner parks it, with the later ones of its stream,
// in the dead-letter table. (Any other exception is taken so too, but the runner then drops the
// memory.)
class PoisonEvent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tideline::eventsourcing
