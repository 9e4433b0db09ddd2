#include "social-graph/api/routes.hpp"

namespace tideline::social_graph {

void add_routes(http::Router& router, const ApiPorts& ports) {
  add_contact_routes(router, ports);
  add_follow_routes(router, ports);
  add_tag_routes(router, ports);
  add_moment_setting_routes(router, ports);
  add_group_routes(router, ports);
}

}  // namespace tideline::social_graph
