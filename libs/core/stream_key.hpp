// Stream ids as natural keys: "vote-<project>-<account>". They make uniqueness a matter of "version
// 0 of a stream": two people who register one user_id meet on one stream, and one of them gets a
// conflict. The builders of a service are generated from schemas/events/<service>.yaml.
//
// The builders of a service are injective together: no two different calls give one stream id. That
// holds since the first part is a builder's own, account ids and server-made ids have 26 characters
// without '-', and a day or time comes last.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/ids.hpp"

namespace tideline::core {

// The parts, joined by '-'.
StreamId stream_key(std::initializer_list<std::string_view> parts);

// A server-made id as a part; checks that it is well-formed.
std::string_view id_part(std::string_view id);

}  // namespace tideline::core
