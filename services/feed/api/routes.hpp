// The routes of feed; schemas/http/feed.yaml describes them.
#pragma once

#include "feed/api/ports.hpp"
#include "http/routing/router.hpp"

namespace tideline::feed {

// Copies `ports` into the handlers.
void add_routes(http::Router& router, const ApiPorts& ports);

// Parts of the above.
void add_moment_commands(http::Router& router, const ApiPorts& ports);
void add_moment_queries(http::Router& router, const ApiPorts& ports);
void add_image_routes(http::Router& router, const ApiPorts& ports);
void add_interaction_commands(http::Router& router, const ApiPorts& ports);
void add_interaction_queries(http::Router& router, const ApiPorts& ports);
void add_message_commands(http::Router& router, const ApiPorts& ports);
void add_message_queries(http::Router& router, const ApiPorts& ports);
void add_message_reading(http::Router& router, const ApiPorts& ports);
void add_timeline_reading(http::Router& router, const ApiPorts& ports);

}  // namespace tideline::feed
