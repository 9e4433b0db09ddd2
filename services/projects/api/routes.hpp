// The HTTP surface of projects, as schemas/http/projects.yaml describes it.
#pragma once

#include "http/routing/router.hpp"
#include "projects/api/ports.hpp"

namespace tideline::projects {

// Adds every route. `ports` is copied; what it refers to must outlive the router.
void add_routes(http::Router& router, const ApiPorts& ports);

// By area.
void add_project_routes(http::Router& router, const ApiPorts& ports);
void add_icon_routes(http::Router& router, const ApiPorts& ports);
void add_document_routes(http::Router& router, const ApiPorts& ports);
void add_comment_routes(http::Router& router, const ApiPorts& ports);
void add_advice_routes(http::Router& router, const ApiPorts& ports);
void add_voting_routes(http::Router& router, const ApiPorts& ports);

}  // namespace tideline::projects
