// The routes are those that schemas/http/feed.yaml describes, no more and no fewer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>

#include "feed_app.hpp"

namespace tideline::feed {
namespace {

// "GET /v1/timeline". The document is read by its indentation: paths at two, methods at four.
std::set<std::string> documented() {
  std::ifstream file(std::string(TIDELINE_SOURCE_DIR) + "/schemas/http/feed.yaml");
  const std::regex path_line("  (/[^:]*):");
  const std::regex method_line("    (get|put|post|patch|delete):");
  std::set<std::string> operations;
  std::string path;
  std::smatch match;
  for (std::string line; std::getline(file, line) && line != "components:";) {
    if (std::regex_match(line, match, path_line)) path = match[1];
    if (!std::regex_match(line, match, method_line)) continue;
    std::string method = match[1];
    std::ranges::transform(method, method.begin(), [](unsigned char letter) {
      return static_cast<char>(std::toupper(letter));
    });
    operations.insert(method + " " + path);
  }
  return operations;
}

TEST(OpenApi, DescribesEveryRoute) {
  testing::NoDatabase database;
  const testing::FeedApp app(database);
  std::set<std::string> added;
  for (const auto& route : app.router.routes()) {
    added.insert(std::string(http::name_of(route.method)) + " " + route.path_template);
  }
  EXPECT_EQ(documented(), added);
}

}  // namespace
}  // namespace tideline::feed
