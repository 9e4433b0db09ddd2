// What a writer had seen, as his event keeps it: of his token, the positions that the engine can
// wait for.
#pragma once

#include <string>

#include "eventsourcing/command.hpp"
#include "feed/api/ports.hpp"

namespace tideline::feed {

// "" for none.
std::string seen_in(const ApiPorts& ports, const eventsourcing::CommandSession& session);

}  // namespace tideline::feed
