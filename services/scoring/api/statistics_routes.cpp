#include "http/messages/problem.hpp"
#include "scoring/api/routes.hpp"

namespace tideline::scoring {

// As the process that takes snapshots has computed them of the last one.
void add_statistics_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/statistics", http::Access::Operator,
             [ports](const http::Request&) {
               auto text = ports.snapshots.statistics();
               if (!text) return to_response(http::not_found("no statistics have been computed"));
               return http::Response::text(200, "application/json", *std::move(text));
             });
}

}  // namespace tideline::scoring
