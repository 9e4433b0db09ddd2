// The streams of this service, all of them (core/stream_key.hpp).
#pragma once

#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/stream_key.hpp"

namespace tideline::accounts::keys {

inline core::StreamId account(const core::AccountId& id) {
  return core::stream_key({"account", id.to_string()});
}

inline core::StreamId sign_in(const core::AccountId& id, core::Day campus_day) {
  return core::stream_key({"signin", id.to_string(), core::format_day(campus_day)});
}

inline core::StreamId session(std::string_view session_id) {
  return core::stream_key({"session", core::id_part(session_id)});
}

inline core::StreamId profile_view(const core::AccountId& viewer, const core::AccountId& owner,
                                   core::Day campus_day) {
  return core::stream_key(
      {"view", viewer.to_string(), owner.to_string(), core::format_day(campus_day)});
}

}  // namespace tideline::accounts::keys
