// The port to the stream of the rules (domain/rule_changes.hpp), for the engine: which version a
// day goes by must not depend on how far that stream has come through Kafka.
//
// Thread-safe; calls block on the store.
#pragma once

#include <vector>

#include "core/result.hpp"
#include "scoring/domain/rule_changes.hpp"

namespace tideline::scoring {

class RuleKeeper {
 public:
  virtual ~RuleKeeper() = default;

  // The whole stream as it stands.
  virtual core::Result<RuleChanges::State> read() = 0;
  // Settles those of the days that are not settled yet, and returns the stream after it.
  // ErrorCode::Conflict, retryable: one of them goes by another version, and what was counted by
  // this one must not become durable.
  virtual core::Result<RuleChanges::State> settle(const std::vector<CountedDay>& days) = 0;
};

}  // namespace tideline::scoring
