#include "feed/api/seen_token.hpp"

namespace tideline::feed {

std::string seen_in(const ApiPorts& ports, const eventsourcing::CommandSession& session) {
  const auto& services = session.context().seen.services();
  eventsourcing::PositionVector seen;
  for (const std::string& service : ports.engine.sources()) {
    const auto logs = services.find(service);
    if (logs == services.end()) continue;
    for (const auto& [log, position] : logs->second) {
      if (log.value() < ports.logs) seen.raise(service, log, position);
    }
  }
  return seen.empty() ? std::string() : seen.to_token();
}

}  // namespace tideline::feed
