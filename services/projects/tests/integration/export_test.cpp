// What a person can take along of projects.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "projects_app.hpp"

namespace tideline::projects {
namespace {

using http::Method;
using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class Export : public ::testing::Test {
 protected:
  Export() {
    for (const char* user_id : {"ada", "bob"}) app.enter_person(user_id);
  }

  std::string path_of(const std::string& project) { return "/v1/projects/" + project; }
  void done(const std::string& who, Method method, const std::string& path,
            const Json& body = nullptr) {
    const auto response = app.call(who, method, path, body);
    EXPECT_LT(response.status, 300) << path << ": " << response.body;
  }
  // By section.
  std::map<std::string, std::vector<Json>> whole(const std::string& who, int limit) {
    std::map<std::string, std::vector<Json>> sections;
    std::string after;
    do {
      const Json page = app.get(who, "/v1/projects-export?limit=" + std::to_string(limit) + after);
      for (const Json& item : page.at("items")) {
        sections[item.at("section")].push_back(item.at("data"));
      }
      after = page.at("after").is_null() ? "" : "&after=" + page.at("after").get<std::string>();
    } while (!after.empty());
    return sections;
  }
  std::vector<std::string> texts(const std::vector<Json>& items, const char* field) {
    std::vector<std::string> found;
    for (const Json& item : items) found.push_back(item.at(field));
    return found;
  }

  ProjectsApp app;
};

TEST_F(Export, HasAllThatOneHasWrittenAndNothingOfOthers) {
  const std::string first = app.create("ada");
  const std::string second = app.create("ada");
  const std::string of_bob = app.create("bob");
  done("ada", Method::Post, path_of(first) + "/documents?title=Plan", "The plan");
  for (const char* text : {"one", "two", "three"}) {
    done("ada", Method::Post, path_of(of_bob) + "/comments", {{"text", text}});
    done("bob", Method::Post, path_of(first) + "/comments", {{"text", "of bob"}});
  }
  done("ada", Method::Delete, path_of(of_bob) + "/comments/2");
  done("ada", Method::Post, path_of(of_bob) + "/advice", {{"text", "Measure twice"}});
  done("bob", Method::Post, path_of(of_bob) + "/voting");
  done("ada", Method::Put, path_of(of_bob) + "/vote");
  done("ada", Method::Put, path_of(second) + "/withdrawal");
  app.block("bob", "ada");  // what is one's own stays one's own

  for (const int limit : {1, 2, 100}) {
    SCOPED_TRACE(limit);
    auto sections = whole("ada", limit);
    EXPECT_THAT(texts(sections["projects"], "id"), UnorderedElementsAre(first, second));
    EXPECT_THAT(texts(sections["documents"], "title"), ElementsAre("Plan"));
    EXPECT_EQ(app.call("ada", Method::Get, sections["documents"].at(0).at("location")).body,
              "The plan");
    EXPECT_THAT(texts(sections["comments"], "text"), ElementsAre("one", "three"));
    EXPECT_THAT(texts(sections["advice"], "text"), ElementsAre("Measure twice"));
    EXPECT_THAT(texts(sections["votes"], "project_id"), ElementsAre(of_bob));
  }
}

TEST_F(Export, TakesNoCursorOfSomethingElse) {
  EXPECT_EQ(app.call("", Method::Get, "/v1/projects-export").status, 401);
  EXPECT_EQ(app.call("ada", Method::Get, "/v1/projects-export?after=x").status, 400);
}

}  // namespace
}  // namespace tideline::projects
