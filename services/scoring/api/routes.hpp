// The HTTP surface of scoring, as schemas/http/scoring.yaml describes it.
//
// Who asks for more than the engine has applied waits for it as long as the server lets it; past
// that the answer comes as it is, marked Tideline-Stale: nothing here is private to others.
#pragma once

#include "http/routing/router.hpp"
#include "scoring/api/ports.hpp"

namespace tideline::scoring {

// By area.
void add_points_routes(http::Router& router, const ApiPorts& ports);
void add_rule_routes(http::Router& router, const ApiPorts& ports);
void add_board_routes(http::Router& router, const ApiPorts& ports);
void add_calendar_routes(http::Router& router, const ApiPorts& ports);
void add_rating_routes(http::Router& router, const ApiPorts& ports);
void add_statistics_routes(http::Router& router, const ApiPorts& ports);
void add_export_routes(http::Router& router, const ApiPorts& ports);

// Adds every route. `ports` is copied; what it refers to must outlive the router.
inline void add_routes(http::Router& router, const ApiPorts& ports) {
  add_points_routes(router, ports);
  add_rule_routes(router, ports);
  add_board_routes(router, ports);
  add_calendar_routes(router, ports);
  add_rating_routes(router, ports);
  add_statistics_routes(router, ports);
  add_export_routes(router, ports);
}

}  // namespace tideline::scoring
