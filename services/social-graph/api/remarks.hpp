// What the caller calls somebody, for his own answers.
#pragma once

#include <optional>
#include <string>

#include "http/messages/json.hpp"
#include "social-graph/api/ports.hpp"
#include "social-graph/stored_events.hpp"

namespace tideline::social_graph {

// null where there is none, or the key is destroyed. May block on the owner's key, once for all
// that are opened one after the other.
inline http::Json open_remark(const ApiPorts& ports, const core::AccountId& owner,
                              const std::optional<std::string>& sealed) {
  if (!sealed) return nullptr;
  const auto remark = core::value_of(
      ports.cipher.open(owner, *sealed, eventsourcing::Stored<ContactRemarked>::kRemarkContext));
  return remark ? http::Json(*remark) : http::Json(nullptr);
}

}  // namespace tideline::social_graph
