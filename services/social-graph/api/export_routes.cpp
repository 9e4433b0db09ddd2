#include <memory>

#include "http/routing/data_export.hpp"
#include "social-graph/api/export_sections.hpp"
#include "social-graph/api/routes.hpp"

namespace tideline::social_graph {

void add_export_routes(http::Router& router, const ApiPorts& ports) {
  const auto exported = std::make_shared<http::DataExport>(
      ports.clock, export_sections({ports.database, ports.cipher, ports.people}));
  router.add(http::Method::Get, "/v1/social-graph-export", http::Access::SignedIn,
             [ports, exported](const http::Request& request) {
               return http::answer_query(request, {ports.people_applied, ports.graph_applied},
                                         http::WhenBehind::Stale,
                                         [&] { return exported->page(request); });
             });
}

}  // namespace tideline::social_graph
