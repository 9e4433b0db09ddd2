// The OpenAPI document names exactly the routes that there are.

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "accounts_app.hpp"

namespace tideline::accounts::testing {
namespace {

using Routes = std::set<std::pair<std::string, std::string>>;

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& letter : lowered) letter = static_cast<char>(std::tolower(letter));
  return lowered;
}

// Paths stand two spaces deep and methods four, as every document here is written.
Routes documented() {
  std::ifstream stream(std::string(TIDELINE_SOURCE_DIR) + "/schemas/http/accounts.yaml");
  Routes routes;
  std::string path;
  for (std::string line; std::getline(stream, line);) {
    if (line == "components:") break;
    if (line.starts_with("  /")) path = line.substr(2, line.size() - 3);
    for (const char* method : {"get", "post", "put", "patch", "delete"}) {
      if (line == "    " + std::string(method) + ":") routes.emplace(method, path);
    }
  }
  return routes;
}

TEST(OpenApi, NamesEveryRouteAndNoOther) {
  AccountsApp app;
  Routes there;
  for (const auto& route : app.router->routes()) {
    there.emplace(lower(http::name_of(route.method)), route.path_template);
  }
  EXPECT_EQ(documented(), there);
  EXPECT_EQ(there.size(), 10u);
}

}  // namespace
}  // namespace tideline::accounts::testing
