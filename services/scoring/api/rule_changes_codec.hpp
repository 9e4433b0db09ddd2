// Events of the rules' stream as they are stored. Stateless, thread-safe.
#pragma once

#include <optional>

#include "eventsourcing/codec.hpp"
#include "scoring/domain/rule_changes.hpp"

namespace tideline::scoring {

struct RuleChangesCodec {
  eventsourcing::NewEvent encode(const RuleChanges::Event& event) const;
  std::optional<RuleChanges::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::scoring
