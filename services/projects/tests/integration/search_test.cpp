// Projects by words: exactly those that have them and that the listing of the same filter shows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <set>

#include "projects_app.hpp"

namespace tideline::projects {
namespace {

using http::Method;
using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ids = std::vector<std::string>;

class ProjectSearchTest : public ::testing::Test {
 protected:
  ProjectSearchTest() {
    for (const char* user_id : {"ada", "bob", "cleo"}) app.enter_person(user_id);
  }

  std::string publish(const std::string& who, const Json& project) {
    app.clock.advance(std::chrono::seconds(1));
    const auto made = app.call(who, Method::Post, "/v1/projects", project);
    EXPECT_EQ(made.status, 201) << made.body;
    return Json::parse(made.body).at("id");
  }
  int change(const std::string& who, Method method, const std::string& path,
             const Json& body = nullptr) {
    return app.call(who, method, "/v1/projects/" + path, body).status;
  }
  // All pages.
  Ids found(const std::string& who, const std::string& query, int limit = 100) {
    Ids ids;
    std::string after;
    do {
      const Json page =
          app.get(who, "/v1/projects?" + query + "&limit=" + std::to_string(limit) + after);
      EXPECT_LE(page.at("items").size(), static_cast<std::size_t>(limit));
      for (const Json& item : page.at("items")) ids.push_back(item.at("id"));
      after = page.at("after").is_null() ? "" : "&after=" + page.at("after").get<std::string>();
    } while (!after.empty());
    return ids;
  }
  std::string row_of(const std::string& id) {
    return core::value_of(app.database.read([&](sql::Transaction& transaction) {
      return transaction
          .execute("SELECT project_search::text FROM project_search WHERE project_id = $1", {id})
          .at(0)
          .text(0);
    }));
  }

  ProjectsApp app;
};

TEST_F(ProjectSearchTest, IsOverNameTextAndLabels) {
  const auto tides = publish("ada", {{"name", "Tide tables"},
                                     {"introduction", "When to swim"},
                                     {"looking_for", "Somebody who rows"},
                                     {"labels", {"seaside"}},
                                     {"link", "https://tides.example"}});
  const auto chinese = publish("bob", {{"name", "潮汐观测站"}, {"introduction", "每天记录水位"}});
  for (const char* query : {"tide", "TABLES swim", "rows", "seaside tide"}) {
    EXPECT_THAT(found("cleo", "query=" + std::string(query)), ElementsAre(tides)) << query;
  }
  for (const char* query : {"潮汐", "记录水位 观测"}) {
    EXPECT_THAT(found("cleo", "query=" + std::string(query)), ElementsAre(chinese)) << query;
  }
  for (const char* query : {"tide low", "汐潮", "", "!", "sea"}) {
    EXPECT_THAT(found("cleo", "query=" + std::string(query)), IsEmpty()) << query;
  }
  EXPECT_EQ(app.call("ada", Method::Get, "/v1/projects?query=" + std::string(101, 'a')).status,
            400);
  EXPECT_EQ(app.call("", Method::Get, "/v1/projects?query=tide").status, 401);
}

TEST_F(ProjectSearchTest, IsByTheBeginningOfANameWhileSomebodyTypes) {
  const auto tides = publish("ada", {{"name", "Tide tables"}, {"introduction", "When to swim"}});
  const auto chinese = publish("bob", {{"name", "潮汐观测站"}, {"labels", {"tide"}}});
  for (const char* name : {"t", "ti", "Tide", "tab", "tables ti"}) {
    EXPECT_THAT(found("cleo", "name=" + std::string(name)), ElementsAre(tides)) << name;
  }
  for (const char* name : {"潮", "观测"}) {
    EXPECT_THAT(found("cleo", "name=" + std::string(name)), ElementsAre(chinese)) << name;
  }
  for (const char* name : {"ide", "tides", "swim", "", "!"}) {
    EXPECT_THAT(found("cleo", "name=" + std::string(name)), IsEmpty()) << name;
  }
  EXPECT_THAT(found("cleo", "query=ti"), IsEmpty()) << "a query is of whole words";
  EXPECT_THAT(found("cleo", "name=ti&query=swim"), ElementsAre(tides));
  EXPECT_THAT(found("cleo", "name=ti&query=fly"), IsEmpty());
  EXPECT_THAT(found("cleo", "name=ti&author=bob"), IsEmpty());
  EXPECT_EQ(change("ada", Method::Patch, tides, {{"name", "Waves"}}), 200);
  EXPECT_THAT(found("cleo", "name=ti"), IsEmpty());
  EXPECT_THAT(found("cleo", "name=w"), ElementsAre(tides));
  EXPECT_EQ(app.call("ada", Method::Get, "/v1/projects?name=" + std::string(101, 'a')).status, 400);
}

TEST_F(ProjectSearchTest, IsOfTheLastTextAndOfTheFilter) {
  const auto one = publish("ada", {{"name", "Tides"}, {"labels", {"sea"}}});
  const auto two = publish("bob", {{"name", "Tides of old"}, {"labels", {"land"}}});
  EXPECT_THAT(found("cleo", "query=tides"), ElementsAre(two, one));
  EXPECT_THAT(found("cleo", "query=tides&order=newest"), ElementsAre(two, one));
  EXPECT_THAT(found("cleo", "query=tides&label=sea"), ElementsAre(one));
  EXPECT_THAT(found("cleo", "query=tides&author=bob"), ElementsAre(two));
  EXPECT_THAT(found("cleo", "query=tides&author=bob&label=sea"), IsEmpty());
  EXPECT_EQ(change("bob", Method::Patch, two, {{"name", "Waves"}}), 200);
  EXPECT_THAT(found("cleo", "query=tides"), ElementsAre(one));
  EXPECT_THAT(found("cleo", "query=wave"), ElementsAre(two));
}

TEST_F(ProjectSearchTest, ShowsNothingThatTheIndexAloneSays) {
  const auto one = publish("ada", {{"name", "Tides"}});
  app.execute("UPDATE project_search SET terms = terms || $1::bigint[]",
              {project_terms(app.cipher).of(std::vector<std::string>{"gold"})});
  EXPECT_THAT(found("bob", "query=gold"), IsEmpty());
  EXPECT_THAT(found("bob", "query=tides"), ElementsAre(one));
}

TEST_F(ProjectSearchTest, HasNoWordInTheIndexAndNothingOfTheClosed) {
  const auto id = publish("ada", {{"name", "Tides"}});
  EXPECT_EQ(row_of(id).find("ide"), std::string::npos);
  EXPECT_EQ(row_of(id).find("{}"), std::string::npos);
  eventsourcing::RecordedEvent abandoned;
  abandoned.source = "projects";
  abandoned.type = "ProjectAbandoned";
  abandoned.version = core::StreamVersion(2);
  abandoned.data =
      Json{{"project_id", id}, {"author", app.account_ids.of("ada").to_string()}}.dump();
  app.search.apply(abandoned);
  app.get("bob", "/v1/projects?query=tides");
  EXPECT_NE(row_of(id).find("{}"), std::string::npos) << row_of(id);
}

// What random people may see of random projects, told without tables.
struct PlainProject {
  std::string author;
  std::set<std::string> words;
  std::string label;
  bool withdrawn = false;
};

TEST_F(ProjectSearchTest, FindsExactlyWhatTheListingShowsThatHasTheWords) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto one_of = [&](const std::vector<std::string>& some) {
    return some[random() % some.size()];
  };
  const Ids words{"ada", "bo", "kim", "潮汐", "水位"};
  const Ids labels{"red", "blue"};
  const Ids people{"ada", "bob", "cleo"};
  std::vector<std::pair<std::string, PlainProject>> all;
  for (int step = 0; step < 60; ++step) {
    std::set<std::string> some{one_of(words), one_of(words)};
    std::string name;
    for (const auto& word : some) name += word + " ";
    if (all.empty() || random() % 3 != 0) {
      const PlainProject plain{one_of(people), some, one_of(labels)};
      all.emplace(all.begin(), publish(plain.author, {{"name", name}, {"labels", {plain.label}}}),
                  plain);
      continue;
    }
    auto& [id, plain] = all[random() % all.size()];
    if (random() % 2 == 0) {
      plain.words = some;
      change(plain.author, Method::Patch, id, {{"name", name}});
    } else {
      change(plain.author, plain.withdrawn ? Method::Delete : Method::Put, id + "/withdrawal");
      plain.withdrawn = !plain.withdrawn;
    }
  }
  const bool blocked = random() % 2 == 0;
  if (blocked) app.block("ada", "bob");
  std::size_t compared = 0;
  for (int round = 0; round < 60; ++round) {
    const auto viewer = one_of(people);
    const std::set<std::string> wanted{one_of(words), one_of(words)};
    // A letter of Latin, or one of Chinese.
    std::string beginning = random() % 2 == 0 ? one_of(words) : "";
    beginning.resize(std::min(beginning.size(), beginning < "z" ? 1UL : 3UL));
    const auto begins = [&](const std::string& word) { return word.starts_with(beginning); };
    const std::string author = random() % 2 == 0 ? one_of(people) : "";
    const std::string label = random() % 3 == 0 ? one_of(labels) : "";
    Ids expected;
    for (const auto& [id, plain] : all) {
      const bool apart =
          blocked && viewer != plain.author && viewer != "cleo" && plain.author != "cleo";
      const bool hidden = plain.withdrawn && !(author == viewer && label.empty());
      const bool fits = (author.empty() || author == plain.author) &&
                        (label.empty() || label == plain.label) &&
                        std::ranges::any_of(plain.words, begins) &&
                        (!beginning.empty() || std::ranges::includes(plain.words, wanted));
      if (!apart && !hidden && fits) expected.push_back(id);
    }
    std::string query = beginning.empty() ? "query=" : "name=" + beginning;
    for (const auto& word : wanted) query += beginning.empty() ? word + " " : "";
    if (!author.empty()) query += "&author=" + author;
    if (!label.empty()) query += "&label=" + label;
    EXPECT_EQ(found(viewer, query, 1 + static_cast<int>(random() % 4)), expected)
        << viewer << ": " << query;
    compared += expected.size();
  }
  EXPECT_GT(compared, 20U) << "nearly nothing was found";
}

TEST_F(ProjectSearchTest, ReadsTheIndexOfWords) {
  const auto plan = core::value_of(app.database.read([](sql::Transaction& transaction) {
    transaction.execute("SET LOCAL enable_seqscan = off");
    std::string text;
    for (const auto& row : transaction.execute(
             "EXPLAIN SELECT project_id FROM project_search WHERE terms @> '{1,2}'::bigint[]")) {
      text += row.text(0) + "\n";
    }
    return text;
  }));
  EXPECT_THAT(plan, HasSubstr("project_search_terms")) << plan;
}

}  // namespace
}  // namespace tideline::projects
