// The HTTP surface of projects, as schemas/http/projects.yaml describes it.
#pragma once

#include "http/routing/router.hpp"
#include "projects/api/ports.hpp"

namespace tideline::projects {

// By area.
void add_project_routes(http::Router& router, const ApiPorts& ports);
void add_label_routes(http::Router& router, const ApiPorts& ports);
void add_icon_routes(http::Router& router, const ApiPorts& ports);
void add_document_routes(http::Router& router, const ApiPorts& ports);
void add_comment_routes(http::Router& router, const ApiPorts& ports);
void add_advice_routes(http::Router& router, const ApiPorts& ports);
void add_voting_routes(http::Router& router, const ApiPorts& ports);
void add_export_routes(http::Router& router, const ApiPorts& ports);

// Adds every route. `ports` is copied; what it refers to must outlive the router.
inline void add_routes(http::Router& router, const ApiPorts& ports) {
  add_project_routes(router, ports);
  add_label_routes(router, ports);
  add_icon_routes(router, ports);
  add_document_routes(router, ports);
  add_comment_routes(router, ports);
  add_advice_routes(router, ports);
  add_voting_routes(router, ports);
  add_export_routes(router, ports);
}

}  // namespace tideline::projects
