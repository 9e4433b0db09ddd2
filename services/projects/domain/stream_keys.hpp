// The streams of this service, all of them (core/stream_key.hpp).
#pragma once

#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/stream_key.hpp"

namespace tideline::projects::keys {

inline core::StreamId project(std::string_view project_id) {
  return core::stream_key({"project", core::id_part(project_id)});
}

inline core::StreamId comments(std::string_view project_id) {
  return core::stream_key({"comments", core::id_part(project_id)});
}

inline core::StreamId documents(std::string_view project_id) {
  return core::stream_key({"documents", core::id_part(project_id)});
}

inline core::StreamId advice(std::string_view project_id, std::string_view advice_id) {
  return core::stream_key({"advice", core::id_part(project_id), core::id_part(advice_id)});
}

inline core::StreamId voting(std::string_view project_id) {
  return core::stream_key({"voting", core::id_part(project_id)});
}

inline core::StreamId vote(std::string_view project_id, const core::AccountId& voter) {
  return core::stream_key({"vote", core::id_part(project_id), voter.to_string()});
}

}  // namespace tideline::projects::keys
