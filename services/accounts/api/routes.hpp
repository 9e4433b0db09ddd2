// The HTTP surface of accounts, as schemas/http/accounts.yaml describes it.
#pragma once

#include "accounts/api/ports.hpp"
#include "http/routing/router.hpp"

namespace tideline::accounts {

// By area.
void add_registration_routes(http::Router& router, const ApiPorts& ports);
void add_session_routes(http::Router& router, const ApiPorts& ports);
void add_session_list_routes(http::Router& router, const ApiPorts& ports);
void add_email_routes(http::Router& router, const ApiPorts& ports);
void add_me_routes(http::Router& router, const ApiPorts& ports);
void add_second_factor_routes(http::Router& router, const ApiPorts& ports);
void add_recovery_code_routes(http::Router& router, const ApiPorts& ports);
void add_profile_routes(http::Router& router, const ApiPorts& ports);
void add_avatar_routes(http::Router& router, const ApiPorts& ports);
void add_people_routes(http::Router& router, const ApiPorts& ports);
void add_key_routes(http::Router& router, const ApiPorts& ports);
void add_export_routes(http::Router& router, const ApiPorts& ports);

// Adds every route. `ports` is copied; what it refers to must outlive the router.
inline void add_routes(http::Router& router, const ApiPorts& ports) {
  add_registration_routes(router, ports);
  add_session_routes(router, ports);
  add_session_list_routes(router, ports);
  add_email_routes(router, ports);
  add_me_routes(router, ports);
  add_second_factor_routes(router, ports);
  add_recovery_code_routes(router, ports);
  add_profile_routes(router, ports);
  add_avatar_routes(router, ports);
  add_people_routes(router, ports);
  add_key_routes(router, ports);
  add_export_routes(router, ports);
}

}  // namespace tideline::accounts
