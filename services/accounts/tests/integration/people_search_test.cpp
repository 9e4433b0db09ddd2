// People by name, student number and department, against a plain comparison.

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "accounts/projections/person_search.hpp"
#include "read_model.hpp"

namespace tideline::accounts::testing {
namespace {

using Found = std::multiset<std::string>;

class PeopleSearch : public ReadModel {
 protected:
  void project_search(std::size_t batch) {
    PersonSearchProjection projection(app.profiles, app.person_terms);
    project(projection, app.events(), batch);
  }
  Tokens person(const std::string& user_id, const std::string& name,
                const std::string& department) {
    json body = AccountsApp::registration(user_id);
    body["real_name"] = name;
    body["department"] = department;
    const auto response = app.post("/v1/accounts", body);
    EXPECT_EQ(response.status, 201) << response.body;
    return AccountsApp::tokens_of(json::parse(response.body).at("session"));
  }
  json page(const std::string& query, const Tokens& by, int limit, const std::string& after) {
    http::Request request;
    request.method = http::Method::Get;
    request.path = "/v1/people";
    request.query_parameters = {{"query", query}, {"limit", std::to_string(limit)}};
    if (!after.empty()) request.query_parameters.emplace_back("after", after);
    request.headers.set("Authorization", "Bearer " + by.access);
    const auto response = app.router->dispatch(request);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.status == 200 ? json::parse(response.body)
                                  : json{{"items", json::array()}, {"after", nullptr}};
  }
  Found found(const std::string& query, const Tokens& by, int limit = 100) {
    Found user_ids;
    std::string after;
    do {
      const json one = page(query, by, limit, after);
      EXPECT_LE(one.at("items").size(), static_cast<std::size_t>(limit));
      for (const json& item : one.at("items")) user_ids.insert(item.at("user_id"));
      after = one.at("after").is_null() ? "" : one.at("after").get<std::string>();
    } while (!after.empty());
    return user_ids;
  }
};

TEST_F(PeopleSearch, IsByNameNumberAndDepartment) {
  const Tokens ada = person("0711", "Ada Lovelace", "Mathematics");
  person("0712", "王小明", "计算机学院");
  person("0813", "Bob Brook", "Physics");
  project_accounts();
  project_search(2);
  EXPECT_EQ(found("07", ada), Found{"0712"}) << "oneself is not among them";
  EXPECT_EQ(found("小明", ada), Found{"0712"});
  EXPECT_EQ(found("计算机", ada), Found{"0712"});
  EXPECT_EQ(found("BROOK phys", ada), Found{"0813"});
  EXPECT_EQ(found("brook math", ada), Found{});
  EXPECT_EQ(found("campus", ada), Found{}) << "nobody is found by an address";
  EXPECT_EQ(app.get("/v1/people", ada.access).status, 400);
  EXPECT_EQ(app.get("/v1/people", "").status, 401);
}

bool has_beginning(const std::string& text, const std::string& prefix) {
  std::istringstream parts(text);
  return std::any_of(std::istream_iterator<std::string>(parts), {},
                     [&](const std::string& part) { return part.starts_with(prefix); });
}

// Names of words out of few; some are across a block, some closed. Whoever is left is found exactly
// where each word of the query begins a word of theirs.
TEST_F(PeopleSearch, FindsExactlyWhomTheViewerMaySee) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::vector<std::string> words{"ada", "adam", "brook", "bro", "cleo", "clara"};
  const auto word = [&] { return words[random() % words.size()]; };
  const Tokens viewer = person("v", "Viewer", "");
  std::map<std::string, std::string> visible;
  for (int i = 0; i < 40; ++i) {
    const std::string user_id = "p" + std::to_string(i);
    const std::string name = word() + " " + word();
    const std::string department = word();
    const Tokens tokens = person(user_id, name, department);
    const auto fate = random() % 6;
    if (fate == 0) block("v", user_id);
    if (fate == 1) block(user_id, "v");
    if (fate == 2) {
      app.call(http::Method::Delete, "/v1/me", {{"password", app.kPassword}},
               {.token = tokens.access});
    }
    if (fate > 2) visible[user_id] = user_id + " " + name + " " + department;
  }
  project_accounts();
  project_search(1 + random() % 50);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::string> wanted;
    for (std::size_t n = 1 + random() % 2; n > 0; --n) {
      const std::string whole = word();
      wanted.push_back(whole.substr(0, 1 + random() % whole.size()));
    }
    Found expected;
    for (const auto& [user_id, text] : visible) {
      const bool all = std::ranges::all_of(
          wanted, [&](const std::string& prefix) { return has_beginning(text, prefix); });
      if (all) expected.insert(user_id);
    }
    std::string query;
    for (const std::string& prefix : wanted) query += prefix + " ";
    EXPECT_EQ(found(query, viewer, 1 + static_cast<int>(random() % 20)), expected) << query;
  }
}

TEST_F(PeopleSearch, TheIndexHasNoWordAndNothingOfTheClosed) {
  const Tokens ada = person("0711", "Ada Lovelace", "Mathematics");
  project_search(10);
  const auto row = [&] {
    const auto rows = database.query("SELECT person_search::text FROM person_search", {}).value();
    return rows.at(0).text(0);
  };
  EXPECT_EQ(row().find("love"), std::string::npos);
  EXPECT_EQ(row().find("{}"), std::string::npos);
  app.call(http::Method::Delete, "/v1/me", {{"password", app.kPassword}}, {.token = ada.access});
  project_search(10);
  EXPECT_NE(row().find("{}"), std::string::npos) << row();
}

}  // namespace
}  // namespace tideline::accounts::testing
