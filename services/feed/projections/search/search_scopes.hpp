// What moments and messages are found by: keys of their words, in scopes. The scope of a public
// moment is the week of its id, that of any other one its author. A message has those of its sender
// and of its recipient or group.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/time_ordered_id.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {

// All of this is part of the data format.

// What keys of words are made for.
inline constexpr std::string_view kSearchTerms = "feed_search.term";
// Those of topics lie among the keys of words, and are never equal to one of a word.
inline constexpr std::string_view kTopicTerms = "feed_search.topic";

// Weeks since 1970, of seven days of UTC.
inline std::int64_t week_of(core::MomentId id) {
  constexpr auto kWeek = std::chrono::days(7);
  return core::time_of(id).time_since_epoch() / kWeek;
}

// Neighbours are spread over all bits (Knuth's multiplicative hash).
inline std::int64_t scope_of_week(std::int64_t week) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(week) * 0x9E3779B97F4A7C15U);
}
// An account id is a hash already.
inline std::int64_t scope_of_person(const core::AccountId& person) {
  std::uint64_t scope = 0;
  for (std::size_t byte = 0; byte < sizeof scope; ++byte) {
    scope = scope << 8U | person.bytes()[byte];
  }
  return static_cast<std::int64_t>(scope);
}
inline std::int64_t scope_of_moment(core::MomentId id, const core::AccountId& author,
                                    Audience audience) {
  return audience == Audience::Public ? scope_of_week(week_of(id)) : scope_of_person(author);
}
// By FNV-1a, 64 bits.
inline std::int64_t scope_of_group(std::string_view group_id) {
  std::uint64_t scope = 0xCBF29CE484222325U;
  for (const char letter : group_id) {
    scope = (scope ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  }
  return static_cast<std::int64_t>(scope);
}

}  // namespace tideline::feed
