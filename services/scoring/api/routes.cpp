#include "scoring/api/routes.hpp"

namespace tideline::scoring {

void add_routes(http::Router& router, const ApiPorts& ports) {
  add_points_routes(router, ports);
  add_rule_routes(router, ports);
  add_board_routes(router, ports);
  add_calendar_routes(router, ports);
  add_rating_routes(router, ports);
  add_statistics_routes(router, ports);
}

}  // namespace tideline::scoring
