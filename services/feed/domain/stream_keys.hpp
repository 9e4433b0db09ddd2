// The streams of this service, all of them (core/stream_key.hpp).
#pragma once

#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/stream_key.hpp"
#include "core/time_ordered_id.hpp"

namespace tideline::feed::keys {

inline core::StreamId moment(core::MomentId id) {
  return core::stream_key({"moment", core::to_string(id)});
}

inline core::StreamId like(core::MomentId moment, const core::AccountId& account) {
  return core::stream_key({"like", core::to_string(moment), account.to_string()});
}

inline core::StreamId comment(core::MomentId moment, core::CommentId id) {
  return core::stream_key({"comment", core::to_string(moment), core::to_string(id)});
}

inline core::StreamId message(const core::AccountId& sender, core::Timestamp sent_at) {
  return core::stream_key({"message", sender.to_string(), core::format_iso8601(sent_at)});
}

inline core::StreamId reading(const core::AccountId& reader, core::Timestamp read_at) {
  return core::stream_key({"reading", reader.to_string(), core::format_iso8601(read_at)});
}

inline core::StreamId timeline_reading(const core::AccountId& reader) {
  return core::stream_key({"timeline", reader.to_string()});
}

}  // namespace tideline::feed::keys
