// The HTTP surface of accounts, as schemas/http/accounts.yaml describes it.
#pragma once

#include "accounts/api/ports.hpp"
#include "http/routing/router.hpp"

namespace tideline::accounts {

// Adds every route. `ports` is copied; what it refers to must outlive the router.
void add_routes(http::Router& router, const ApiPorts& ports);

// By area.
void add_registration_routes(http::Router& router, const ApiPorts& ports);
void add_session_routes(http::Router& router, const ApiPorts& ports);
void add_me_routes(http::Router& router, const ApiPorts& ports);
void add_profile_routes(http::Router& router, const ApiPorts& ports);
void add_key_routes(http::Router& router, const ApiPorts& ports);

}  // namespace tideline::accounts
