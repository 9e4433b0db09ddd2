// Whom a moment or a comment mentions. Who may read the text sees that; its author alone says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "eventsourcing/commands/limited_count.hpp"
#include "feed/events.hpp"

namespace tideline::feed {

inline constexpr std::size_t kMentionsMax = 20;

// nullopt: they may stand in an event.
std::optional<eventsourcing::Rejection> refuse_mentions(
    const std::vector<core::AccountId>& mentions);

// How often somebody has addressed strangers on one day, so that nobody fills the notifications of
// others: in each moment or comment once, however many it names.
using AddressCount = eventsourcing::LimitedCount<AddressCountChanged, core::AccountId>;
inline constexpr std::int64_t kAddressingsADay = 50;
inline const eventsourcing::Rejection kAddressLimit{
    eventsourcing::RejectionKind::Conflict, "address-limit-reached",
    "you have addressed people who are no contacts as often as one may in a day"};

}  // namespace tideline::feed
