// What the codecs of this service have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "eventsourcing/codec.hpp"
#include "eventsourcing/projection.hpp"

namespace tideline::accounts {

inline eventsourcing::NewEvent own_event(
    std::string type, const nlohmann::json& data,
    eventsourcing::Visibility visibility = eventsourcing::Visibility::Public) {
  return {.type = std::move(type), .data = data.dump(), .visibility = visibility};
}

// Data of the own store that breaks its schema is damage, not input: CodecFailed.
template <class Read>
auto read_own(const Read& read) {
  try {
    return read();
  } catch (const eventsourcing::PoisonEvent& poison) {
    throw eventsourcing::CodecFailed(core::internal_error(poison.what()));
  }
}

}  // namespace tideline::accounts
