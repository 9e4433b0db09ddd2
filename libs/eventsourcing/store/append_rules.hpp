// What every event store decides about an append before it writes. Pure functions.
#pragma once

#include <functional>
#include <optional>

#include "core/result.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

// An append must carry events, each with a type and data, or an idempotency key; and every part of
// it a name.
core::Status validate(const Append& append);

// The first assertion, then the first stream, that does not stand where the append expects it.
// Assertions look at the streams as they stood before; a stream may be named twice, the second time
// with the version that the first leaves behind.
std::optional<VersionConflict> first_conflict(
    const Append& append,
    const std::function<core::StreamVersion(const core::StreamId&)>& version_of);

// The log whose position row guards a key.
core::LogIndex log_of_key(const IdempotencyKey& key, std::uint32_t logs);

}  // namespace tideline::eventsourcing
