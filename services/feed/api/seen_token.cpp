#include "feed/api/seen_token.hpp"

namespace tideline::feed {

http::Parsed<std::string> read_seen(const ApiPorts& ports, const http::Request& request) {
  const auto token = http::read_position(request);
  if (!token) return token.problem();
  eventsourcing::PositionVector seen;
  for (const std::string& service : ports.engine.sources()) {
    const auto logs = token->services().find(service);
    if (logs == token->services().end()) continue;
    for (const auto& [log, position] : logs->second) {
      if (log.value() < ports.logs) seen.raise(service, log, position);
    }
  }
  return seen.empty() ? std::string() : seen.to_token();
}

}  // namespace tideline::feed
