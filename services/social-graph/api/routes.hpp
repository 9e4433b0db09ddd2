// The HTTP surface of social-graph, as schemas/http/social-graph.yaml describes it.
#pragma once

#include "http/routing/router.hpp"
#include "social-graph/api/ports.hpp"

namespace tideline::social_graph {

// By area.
void add_contact_routes(http::Router& router, const ApiPorts& ports);
void add_acquaintance_routes(http::Router& router, const ApiPorts& ports);
void add_block_routes(http::Router& router, const ApiPorts& ports);
void add_export_routes(http::Router& router, const ApiPorts& ports);
void add_follow_routes(http::Router& router, const ApiPorts& ports);
void add_tag_routes(http::Router& router, const ApiPorts& ports);
void add_moment_setting_routes(http::Router& router, const ApiPorts& ports);
void add_group_routes(http::Router& router, const ApiPorts& ports);

// Adds every route. `ports` is copied; what it refers to must outlive the router.
inline void add_routes(http::Router& router, const ApiPorts& ports) {
  add_contact_routes(router, ports);
  add_acquaintance_routes(router, ports);
  add_block_routes(router, ports);
  add_export_routes(router, ports);
  add_follow_routes(router, ports);
  add_tag_routes(router, ports);
  add_moment_setting_routes(router, ports);
  add_group_routes(router, ports);
}

}  // namespace tideline::social_graph
