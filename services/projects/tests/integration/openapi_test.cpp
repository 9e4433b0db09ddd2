// schemas/http/projects.yaml describes exactly the routes that there are.

#include <gmock/gmock.h>

#include "projects_app.hpp"
#include "support/documented_routes.hpp"

namespace tideline::projects {
namespace {

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  const ProjectsApp app;
  EXPECT_THAT(test_support::route_differences(test_support::openapi_document("projects"),
                                              app.router.routes()),
              ::testing::IsEmpty());
}

}  // namespace
}  // namespace tideline::projects
