// The routes are those that schemas/http/social-graph.yaml describes, no more and no fewer.

#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <set>

#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"

namespace tideline::social_graph {
namespace {

// "GET /v1/contacts". The document is read by its indentation: paths at two, methods at four.
std::set<std::string> documented() {
  std::ifstream file(std::string(TIDELINE_SOURCE_DIR) + "/schemas/http/social-graph.yaml");
  const std::regex path_line("  (/[^:]*):");
  const std::regex method_line("    (get|put|post|patch|delete):");
  std::set<std::string> operations;
  std::string path;
  std::smatch match;
  for (std::string line; std::getline(file, line) && line != "components:";) {
    if (std::regex_match(line, match, path_line)) path = match[1];
    if (std::regex_match(line, match, method_line)) {
      std::string method = match[1];
      std::transform(method.begin(), method.end(), method.begin(),
                     [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
      operations.insert(method + " " + path);
    }
  }
  return operations;
}

TEST(OpenApi, DescribesEveryRoute) {
  PeopleInMemory people;
  const GraphService service(people);
  std::set<std::string> added;
  for (const auto& route : service.router.routes()) {
    added.insert(std::string(http::name_of(route.method)) + " " + route.path_template);
  }
  EXPECT_THAT(documented(), ::testing::ContainerEq(added));
  EXPECT_EQ(added.size(), 34U);
}

}  // namespace
}  // namespace tideline::social_graph
