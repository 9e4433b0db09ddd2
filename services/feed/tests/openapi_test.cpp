// schemas/http/feed.yaml describes exactly the routes that there are.
#include <gmock/gmock.h>

#include "feed_app.hpp"
#include "support/documented_routes.hpp"

namespace tideline::feed {
namespace {

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  testing::NoDatabase database;
  const testing::FeedApp app(database);
  EXPECT_THAT(
      test_support::route_differences(test_support::openapi_document("feed"), app.router.routes()),
      ::testing::IsEmpty());
}

}  // namespace
}  // namespace tideline::feed
