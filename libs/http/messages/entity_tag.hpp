// Entity tags (RFC 9110, 8.8.3): what a client sends back to say which state it has seen.
//
//   "7"                what a command answers: the version of the stream
//   "7.mEr0vC5tYQ"     what a GET answers: the version, and a digest of the answer, which may show
//                      more than one stream (a name, a tally)
//   "7.mEr0vC5tYQ.gz"  the same in its compressed form
//
// If-Match asks for the version alone, so any of them will do. If-None-Match asks whether the
// answer would be the same.
//
// Threads: plain values and pure functions; nothing here blocks or throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"

namespace tideline::http {

struct EntityTag {
  std::string_view opaque;  // within the quotation marks; refers to the header
  bool weak = false;
};

// "\"7\"": the ETag of a stream version.
std::string entity_tag(core::StreamVersion version);

// A comma-separated list of at least one tag; nothing for anything else. "*" is no tag.
std::optional<std::vector<EntityTag>> parse_entity_tags(std::string_view text);

// The version that a strong tag of ours names; nothing for any other.
std::optional<core::StreamVersion> version_of(const EntityTag& tag);

}  // namespace tideline::http
