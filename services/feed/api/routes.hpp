// The routes of feed; schemas/http/feed.yaml describes them.
#pragma once

#include "feed/api/ports.hpp"
#include "http/routing/router.hpp"

namespace tideline::feed {

// By area.
void add_moment_commands(http::Router& router, const ApiPorts& ports);
void add_pin_commands(http::Router& router, const ApiPorts& ports);
void add_moment_queries(http::Router& router, const ApiPorts& ports);
void add_image_routes(http::Router& router, const ApiPorts& ports);
void add_interaction_commands(http::Router& router, const ApiPorts& ports);
void add_interaction_queries(http::Router& router, const ApiPorts& ports);
void add_bookmark_routes(http::Router& router, const ApiPorts& ports);
void add_poll_routes(http::Router& router, const ApiPorts& ports);
void add_report_commands(http::Router& router, const ApiPorts& ports);
void add_case_routes(http::Router& router, const ApiPorts& ports);
void add_hidden_routes(http::Router& router, const ApiPorts& ports);
void add_visit_routes(http::Router& router, const ApiPorts& ports);
void add_message_commands(http::Router& router, const ApiPorts& ports);
void add_message_queries(http::Router& router, const ApiPorts& ports);
void add_conversation_queries(http::Router& router, const ApiPorts& ports);
void add_message_requests(http::Router& router, const ApiPorts& ports);
void add_message_reading(http::Router& router, const ApiPorts& ports);
void add_timeline_reading(http::Router& router, const ApiPorts& ports);
void add_notification_queries(http::Router& router, const ApiPorts& ports);
void add_notification_settings(http::Router& router, const ApiPorts& ports);
void add_push_routes(http::Router& router, const ApiPorts& ports);
void add_moment_search(http::Router& router, const ApiPorts& ports);
void add_message_search(http::Router& router, const ApiPorts& ports);
void add_export_routes(http::Router& router, const ApiPorts& ports);

// Adds every route. `ports` is copied; what it refers to must outlive the router.
inline void add_routes(http::Router& router, const ApiPorts& ports) {
  add_moment_commands(router, ports);
  add_pin_commands(router, ports);
  add_moment_queries(router, ports);
  add_image_routes(router, ports);
  add_interaction_commands(router, ports);
  add_interaction_queries(router, ports);
  add_bookmark_routes(router, ports);
  add_poll_routes(router, ports);
  add_report_commands(router, ports);
  add_case_routes(router, ports);
  add_hidden_routes(router, ports);
  add_visit_routes(router, ports);
  add_message_commands(router, ports);
  add_message_queries(router, ports);
  add_conversation_queries(router, ports);
  add_message_requests(router, ports);
  add_message_reading(router, ports);
  add_timeline_reading(router, ports);
  add_notification_queries(router, ports);
  add_notification_settings(router, ports);
  add_push_routes(router, ports);
  add_moment_search(router, ports);
  add_message_search(router, ports);
  add_export_routes(router, ports);
}

}  // namespace tideline::feed
