#include "projects/api/routes.hpp"

namespace tideline::projects {

void add_routes(http::Router& router, const ApiPorts& ports) {
  add_project_routes(router, ports);
  add_icon_routes(router, ports);
  add_document_routes(router, ports);
  add_comment_routes(router, ports);
  add_advice_routes(router, ports);
  add_voting_routes(router, ports);
}

}  // namespace tideline::projects
