#include "accounts/api/routes.hpp"

namespace tideline::accounts {

void add_key_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/.well-known/jwks.json", http::Access::Public,
             [ports](const http::Request&) {
               http::Response response = http::Response::text(
                   200, "application/jwk-set+json", ports.verifier.jwks(ports.clock.now()));
               response.headers.set("Cache-Control", "public, max-age=60");
               return response;
             });
}

}  // namespace tideline::accounts
