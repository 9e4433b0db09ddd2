// What a writer had seen, as his event keeps it: of the request's token, the positions that the
// engine can wait for.
#pragma once

#include <string>

#include "feed/api/ports.hpp"
#include "http/problem.hpp"

namespace tideline::feed {

// "" without a token; 400 for a malformed one.
http::Parsed<std::string> read_seen(const ApiPorts& ports, const http::Request& request);

}  // namespace tideline::feed
