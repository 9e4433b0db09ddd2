// The streams of this service, all of them (core/stream_key.hpp).
#pragma once

#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/stream_key.hpp"

namespace tideline::scoring::keys {

inline core::StreamId adjustment(std::string_view adjustment_id) {
  return core::stream_key({"adjustment", core::id_part(adjustment_id)});
}

// One for the whole installation.
inline core::StreamId rules() { return core::StreamId("rules"); }

inline core::StreamId person_rating(const core::AccountId& rater, const core::AccountId& subject) {
  return core::stream_key({"personrating", rater.to_string(), subject.to_string()});
}

inline core::StreamId project_rating(const core::AccountId& rater, std::string_view project_id) {
  return core::stream_key({"projectrating", rater.to_string(), core::id_part(project_id)});
}

}  // namespace tideline::scoring::keys
