#include "feed/api/routes.hpp"

namespace tideline::feed {

void add_routes(http::Router& router, const ApiPorts& ports) {
  add_moment_commands(router, ports);
  add_moment_queries(router, ports);
  add_image_routes(router, ports);
  add_interaction_commands(router, ports);
  add_interaction_queries(router, ports);
  add_message_commands(router, ports);
  add_message_queries(router, ports);
  add_message_reading(router, ports);
  add_timeline_reading(router, ports);
}

}  // namespace tideline::feed
