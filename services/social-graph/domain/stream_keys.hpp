// The streams of this service, all of them (core/stream_key.hpp).
#pragma once

#include <string_view>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/stream_key.hpp"

namespace tideline::social_graph::keys {

// The order does not matter.
inline core::StreamId contact(const core::AccountId& one, const core::AccountId& other) {
  CHECK(one != other, "nobody is his own contact");
  const core::AccountId& first = one < other ? one : other;
  const core::AccountId& second = one < other ? other : one;
  return core::stream_key({"contact", first.to_string(), second.to_string()});
}

inline core::StreamId contact_count(const core::AccountId& id) {
  return core::stream_key({"contacts", id.to_string()});
}

inline core::StreamId follow(const core::AccountId& follower, const core::AccountId& followee) {
  return core::stream_key({"follow", follower.to_string(), followee.to_string()});
}

inline core::StreamId tag(std::string_view tag_id) {
  return core::stream_key({"tag", core::id_part(tag_id)});
}

inline core::StreamId tagged(std::string_view tag_id, const core::AccountId& account) {
  return core::stream_key({"tagged", core::id_part(tag_id), account.to_string()});
}

inline core::StreamId exclusion(const core::AccountId& owner, const core::AccountId& other) {
  return core::stream_key({"exclusion", owner.to_string(), other.to_string()});
}

inline core::StreamId group(std::string_view group_id) {
  return core::stream_key({"group", core::id_part(group_id)});
}

inline core::StreamId member(std::string_view group_id, const core::AccountId& account) {
  return core::stream_key({"member", core::id_part(group_id), account.to_string()});
}

inline core::StreamId member_count(std::string_view group_id) {
  return core::stream_key({"members", core::id_part(group_id)});
}

}  // namespace tideline::social_graph::keys
