// What the codecs of this service have in common: JSON out, and the service's own reader in.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "eventsourcing/codec.hpp"
#include "social-graph/projections/events_read.hpp"

namespace tideline::social_graph {

inline eventsourcing::NewEvent own_event(std::string type, const nlohmann::json& data) {
  return {.type = std::move(type), .data = data.dump()};
}

// The same of what may show somebody more than before: with what its writer had seen, so that
// whoever reads several logs side by side uses it after what was before it.
inline eventsourcing::NewEvent own_event(std::string type, nlohmann::json data,
                                         const std::string& seen) {
  data["seen"] = seen;
  return own_event(std::move(type), data);
}

// nullopt: no event of D. Throws CodecFailed for data that breaks its schema: in the own store that
// is damage, not input.
template <eventsourcing::Decider D>
std::optional<typename D::Event> read_own_event(const eventsourcing::RecordedEvent& recorded) {
  try {
    return read_event<D>(recorded);
  } catch (const eventsourcing::PoisonEvent& poison) {
    throw eventsourcing::CodecFailed(core::internal_error(poison.what()));
  }
}

}  // namespace tideline::social_graph
