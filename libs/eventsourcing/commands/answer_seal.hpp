// What is stored of an answer for whoever repeats its request: sealed under the key of the account
// that asked, so that its texts go when the account is closed.
#pragma once

#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/events/text_sealer.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

struct AnswerSeal {
  TextSealer* sealer = nullptr;  // null: answers are stored as they are
  core::AccountId account{};

  // Body and location, as far as there is something in them. An Error of the sealer.
  core::Result<StoredResult> seal(StoredResult result) const;
  // nullopt: the account is closed or its key was lost, and the answer has gone with it. What was
  // stored before answers were sealed is given as it is.
  core::Result<std::optional<StoredResult>> open(StoredResult stored) const;
};

}  // namespace tideline::eventsourcing
