// The comparison of routes with an OpenAPI document finds every kind of difference.

#include "support/documented_routes.hpp"

#include <gmock/gmock.h>

namespace tideline::test_support {
namespace {

using http::Access;
using http::Method;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Routes = std::vector<http::Router::Route>;

nlohmann::json document() {
  return nlohmann::json::parse(R"({
    "paths": {
      "/keys": {"get": {"security": []}},
      "/rules": {"post": {"x-operators-only": true}},
      "/tags/{tag_id}/contacts/{user_id}": {
        "parameters": [{"$ref": "#/components/parameters/TagId"}],
        "put": {"parameters": [{"name": "user_id", "in": "path"}, {"name": "limit", "in": "query"}]}}},
    "components": {"parameters": {"TagId": {"name": "tag_id", "in": "path"}}}})");
}

const Routes kRoutes{{Method::Get, "/keys", Access::Public},
                     {Method::Post, "/rules", Access::Operator},
                     {Method::Put, "/tags/{tag_id}/contacts/{user_id}", Access::SignedIn}};

TEST(RouteDifferences, NoneWhereBothAgree) {
  EXPECT_THAT(route_differences(document(), kRoutes), IsEmpty());
}

TEST(RouteDifferences, ARouteThatIsNotDescribed) {
  Routes routes = kRoutes;
  routes.push_back({Method::Get, "/rules", Access::SignedIn});
  EXPECT_THAT(route_differences(document(), routes), ElementsAre("GET /rules is not described"));
}

TEST(RouteDifferences, AnOperationThatIsNoRoute) {
  Routes routes = kRoutes;
  routes.pop_back();
  EXPECT_THAT(route_differences(document(), routes),
              ElementsAre("PUT /tags/{tag_id}/contacts/{user_id} is described, and no route"));
}

TEST(RouteDifferences, AnotherPathParameter) {
  nlohmann::json changed = document();
  changed["components"]["parameters"]["TagId"]["name"] = "id";
  EXPECT_THAT(route_differences(changed, kRoutes),
              ElementsAre("PUT /tags/{tag_id}/contacts/{user_id} describes other path parameters "
                          "than it has"));
}

TEST(RouteDifferences, AnotherAccess) {
  Routes routes = kRoutes;
  std::swap(routes[0].access, routes[1].access);
  EXPECT_THAT(
      route_differences(document(), routes),
      ElementsAre("GET /keys needs a token", "GET /keys needs x-operators-only: true",
                  "POST /rules needs no token, security: []", "POST /rules is for everybody"));
}

TEST(RouteDifferences, AnotherLimitOfABody) {
  Routes routes = kRoutes;
  routes[1].limits.body_bytes_max = 2048;
  auto described = document();
  EXPECT_THAT(route_differences(described, routes),
              ElementsAre("POST /rules takes bodies of 2048 bytes (0: as any), x-body-bytes-max "
                          "says 0"));
  described["paths"]["/rules"]["post"]["x-body-bytes-max"] = 2048;
  EXPECT_THAT(route_differences(described, routes), IsEmpty());
  EXPECT_THAT(route_differences(described, kRoutes),
              ElementsAre("POST /rules takes bodies of 0 bytes (0: as any), x-body-bytes-max says "
                          "2048"));
}

TEST(RouteDifferences, ARouteOfModeratorsThatIsNotSaidToBe) {
  Routes routes = kRoutes;
  routes[2].access = Access::Moderator;
  auto described = document();
  EXPECT_THAT(route_differences(described, routes),
              ElementsAre("PUT /tags/{tag_id}/contacts/{user_id} needs x-moderators-only: true"));
  described["paths"]["/tags/{tag_id}/contacts/{user_id}"]["put"]["x-moderators-only"] = true;
  EXPECT_THAT(route_differences(described, routes), IsEmpty());
  EXPECT_THAT(route_differences(described, kRoutes),
              ElementsAre("PUT /tags/{tag_id}/contacts/{user_id} is no moderators' route"));
}

TEST(RouteDifferences, ARouteThatTakesLinksAndOneThatIsSaidTo) {
  Routes routes = kRoutes;
  routes[1].access = Access::SignedInOrLink;
  auto described = document();
  described["paths"]["/tags/{tag_id}/contacts/{user_id}"]["put"]["security"] =
      nlohmann::json::parse(R"([{"bearer": []}, {"link": []}])");
  EXPECT_THAT(route_differences(described, routes),
              ElementsAre("POST /rules takes links, {link: []}", "POST /rules is for everybody",
                          "PUT /tags/{tag_id}/contacts/{user_id} takes no link"));
}

}  // namespace
}  // namespace tideline::test_support
