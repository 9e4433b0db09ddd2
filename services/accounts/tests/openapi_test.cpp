// schemas/http/accounts.yaml describes exactly the routes that there are.

#include <gmock/gmock.h>

#include "accounts_app.hpp"
#include "support/documented_routes.hpp"

namespace tideline::accounts::testing {
namespace {

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  const AccountsApp app;
  EXPECT_THAT(test_support::route_differences(test_support::openapi_document("accounts"),
                                              app.router->routes()),
              ::testing::IsEmpty());
}

}  // namespace
}  // namespace tideline::accounts::testing
