// schemas/http/social-graph.yaml describes exactly the routes that there are.

#include <gmock/gmock.h>

#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"
#include "support/documented_routes.hpp"

namespace tideline::social_graph {
namespace {

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  PeopleInMemory people;
  const GraphService service(people);
  EXPECT_THAT(test_support::route_differences(test_support::openapi_document("social-graph"),
                                              service.router.routes()),
              ::testing::IsEmpty());
}

}  // namespace
}  // namespace tideline::social_graph
