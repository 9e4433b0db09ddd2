// schemas/http/scoring.yaml describes exactly the routes that there are.

#include <gmock/gmock.h>

#include "scoring/tests/integration/running_routes.hpp"
#include "support/documented_routes.hpp"

namespace tideline::scoring {
namespace {

TEST_F(RoutesTest, AreAllDescribedAndNoOthers) {
  EXPECT_THAT(
      test_support::route_differences(test_support::openapi_document("scoring"), router.routes()),
      ::testing::IsEmpty());
}

}  // namespace
}  // namespace tideline::scoring
