// The HTTP surface of social-graph, as schemas/http/social-graph.yaml describes it.
#pragma once

#include "http/routing/router.hpp"
#include "social-graph/api/ports.hpp"

namespace tideline::social_graph {

// Adds every route. `ports` is copied; what it refers to must outlive the router.
void add_routes(http::Router& router, const ApiPorts& ports);

// By area.
void add_contact_routes(http::Router& router, const ApiPorts& ports);
void add_follow_routes(http::Router& router, const ApiPorts& ports);
void add_tag_routes(http::Router& router, const ApiPorts& ports);
void add_moment_setting_routes(http::Router& router, const ApiPorts& ports);
void add_group_routes(http::Router& router, const ApiPorts& ports);

}  // namespace tideline::social_graph
