// The tables of accounts on a real PostgreSQL: what is read comes out the same however the events
// are cut into batches and the services' logs are mixed; and public profiles through their route.

#include <array>
#include <random>
#include <thread>

#include "accounts/projections/project_list_projection.hpp"
#include "read_model.hpp"

namespace tideline::accounts::testing {
namespace {

TEST_F(ReadModel, EveryCutAndOrderEndsInTheSameAnswers) {
  std::vector<RecordedEvent> projects;
  for (const char* user_id : {"1", "2", "3", "4"}) {
    const Tokens tokens = app.enrol(user_id);
    const std::string who = user_id;
    for (int i = 0; who != "1" && i < 3; ++i) {
      app.call(http::Method::Patch, "/v1/me", {{"department", std::to_string(i)}},
               {.token = tokens.access});
      projects.push_back(project_created(user_id));
    }
    if (who == "3") {
      ASSERT_EQ(app.call(http::Method::Delete, "/v1/me", {{"password", app.kPassword}},
                         {.token = tokens.access})
                    .status,
                204);
    }
  }
  std::string expected;
  for (const std::size_t batch : {1000, 1, 2, 3, 7}) {
    SCOPED_TRACE("batches of " + std::to_string(batch));
    ASSERT_TRUE(database
                    .transact([](Transaction& transaction) {
                      transaction.execute("TRUNCATE account, account_project");
                    })
                    .ok());
    AccountProjection of_accounts;
    ProjectListProjection of_projects;
    project(of_accounts, app.events(), batch);
    project(of_projects, projects, batch);
    // Repeats change nothing, and older versions nothing either.
    project(of_accounts, app.events(), batch);
    project(of_projects, projects, 1000);
    if (expected.empty()) expected = everything();
    EXPECT_EQ(everything(), expected);
    std::shuffle(projects.begin(), projects.end(), std::mt19937_64(batch));
  }
  EXPECT_NE(expected.find(" 5 "), std::string::npos) << expected;
  EXPECT_NE(expected.find("3:  " + project_ids[5]), std::string::npos) << "closed: " << expected;
}

TEST_F(ReadModel, AWithdrawnProjectIsNotInTheList) {
  const auto created = project_created("1");
  auto withdrawn = created;
  withdrawn.type = "ProjectWithdrawn";
  auto restored = created;
  restored.type = "ProjectRestored";
  ProjectListProjection projection;
  const auto listed = [&](const std::vector<RecordedEvent>& events, std::size_t batch) {
    project(projection, events, batch);
    return database
        .read([&](Transaction& transaction) {
          return find_projects(transaction, app.account_ids.of("1"), 10).count;
        })
        .value();
  };
  EXPECT_EQ(listed({created}, 1), 1);
  EXPECT_EQ(listed({withdrawn}, 1), 0);
  EXPECT_EQ(listed({restored}, 1), 1);
  EXPECT_EQ(listed({withdrawn, restored, withdrawn}, 3), 0);
}

TEST_F(ReadModel, EachQueryTouchesOnePartition) {
  const auto plans = database.read([](Transaction& transaction) {
    std::vector<std::string> texts;
    for (const char* sql :
         {"SELECT profile FROM account WHERE account_id = '00000000-0000-0000-0000-000000000000'",
          "SELECT count(*) FROM account_project WHERE author = "
          "'00000000-0000-0000-0000-000000000000'",
          "SELECT project_id FROM account_project WHERE author = "
          "'00000000-0000-0000-0000-000000000000' ORDER BY project_id DESC LIMIT 100",
          "SELECT sum(count) FROM profile_visit_count WHERE subject = 'a'", kFindScoreSql}) {
      std::string plan;
      std::string statement = "EXPLAIN " + std::string(sql);
      if (const auto place = statement.find("$1"); place != std::string::npos) {
        statement.replace(place, 2, "'00000000-0000-0000-0000-000000000000'");
      }
      for (const auto& row : transaction.execute(statement)) {
        plan += row.text(0) + "\n";
      }
      texts.push_back(plan);
    }
    // That the check can fail: a question for all of them asks every partition.
    texts.emplace_back();
    for (const auto& row : transaction.execute("EXPLAIN SELECT count(*) FROM account")) {
      texts.back() += row.text(0) + "\n";
    }
    return texts;
  });
  ASSERT_TRUE(plans.ok());
  const std::size_t one_partition = plans->size() - 1;
  for (std::size_t i = 0; i < one_partition; ++i) {
    EXPECT_EQ((*plans)[i].find("Append"), std::string::npos) << (*plans)[i];
  }
  EXPECT_NE(plans->back().find("Append"), std::string::npos);
}

TEST_F(ReadModel, AnswersPublicProfilesWithoutTheEmail) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  project_accounts();
  ProjectListProjection of_projects;
  std::vector<RecordedEvent> projects;
  for (int i = 0; i < 3; ++i) projects.push_back(project_created("1"));
  project(of_projects, projects, 1000);

  const auto response = app.get("/v1/profiles/1", bob.access);
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(json::parse(response.body),
            (json{{"user_id", "1"},
                  {"real_name", "Ada 1"},
                  {"department", "Mathematics"},
                  {"bio", ""},
                  {"avatar", nullptr},
                  {"avatar_link", nullptr},
                  {"avatar_preview", nullptr},
                  {"visits", nullptr},
                  {"registered_at", "2026-05-01T12:00:00.250000Z"},
                  {"project_ids", {project_ids[2], project_ids[1], project_ids[0]}},
                  {"project_count", 3},
                  {"points", nullptr},
                  {"level", nullptr},
                  {"historyscore", 0},
                  {"currentscore", 0},
                  {"rank", nullptr},
                  {"rank_as_of", nullptr}}));
  EXPECT_EQ(response.headers.find("ETag"), "\"1\"");
  for (const char* unknown : {"/v1/profiles/9", "/v1/profiles/01", "/v1/profiles/a b"}) {
    const auto missing = app.get(unknown, bob.access);
    EXPECT_EQ(missing.status, 404) << unknown;
    EXPECT_EQ(problem_code(missing), "no-such-person");
  }
  EXPECT_EQ(app.get("/v1/profiles/1", "").status, 401);
}

json published_score(int version, const char* as_of, const std::vector<std::string>& days,
                     const std::vector<int>& day_contributions) {
  return {{"version", version},
          {"as_of", as_of},
          {"closed", false},
          {"points", 60 + version},
          {"level", 2},
          {"rank", 4},
          {"contributions", 100 + version},
          {"days", days},
          {"day_contributions", day_contributions}};
}

// Today is 2026-05-01.
TEST_F(ReadModel, AProfileShowsScoresAsOfTheDayOfTheRead) {
  const Tokens ada = app.enrol("1");
  project_accounts();
  tell_score("1",
             published_score(7, "2026-04-30",
                             {"2026-04-01", "2026-04-02", "2026-04-30", "2026-05-01", "2026-05-02"},
                             {1, 10, 100, 1'000, 10'000}));
  const auto look = [&] { return json::parse(app.get("/v1/profiles/1", ada.access).body); };
  json shown = look();
  EXPECT_EQ(shown.at("points"), 67);
  EXPECT_EQ(shown.at("level"), 2);
  EXPECT_EQ(shown.at("historyscore"), 107);
  EXPECT_EQ(shown.at("currentscore"), 1'110) << "2 April to 1 May";
  EXPECT_EQ(shown.at("rank"), 4);
  EXPECT_EQ(shown.at("rank_as_of"), "2026-04-30");

  app.clock.advance(std::chrono::hours(24));
  // The token from yesterday is over.
  const Tokens later = app.tokens_of(json::parse(app.sign_in("1").body));
  const auto answer = app.get("/v1/profiles/1", later.access);
  shown = json::parse(answer.body);
  EXPECT_EQ(shown.at("currentscore"), 11'100) << "3 April to 2 May";
  EXPECT_EQ(shown.at("historyscore"), 107);
  EXPECT_EQ(shown.at("rank_as_of"), "2026-04-30");

  tell_score("1", published_score(6, "2026-05-09", {}, {}));
  EXPECT_EQ(json::parse(app.get("/v1/profiles/1", later.access).body), shown) << "older";
  tell_score("1", {{"version", 8}, {"as_of", "2026-05-02"}, {"closed", true}});
  EXPECT_FALSE(score_of("1"));
  tell_score("1", published_score(9, "2026-05-03", {}, {}));
  EXPECT_FALSE(score_of("1")) << "closed is closed";
  EXPECT_EQ(json::parse(app.get("/v1/profiles/1", later.access).body).at("points"), nullptr);
}

TEST_F(ReadModel, TheNewestScoreIsKeptInEveryOrder) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::pair<std::string, json>> told;
  for (const char* user_id : {"1", "2", "3"}) {
    for (int version = 0; version < 12; ++version) {
      const std::string day = "2026-05-0" + std::to_string(1 + version / 3);
      told.emplace_back(user_id, published_score(version / 2, day.c_str(), {day}, {version + 1}));
    }
  }
  for (int round = 0; round < 20; ++round) {
    std::shuffle(told.begin(), told.end(), random);
    ASSERT_TRUE(database
                    .transact([](Transaction& transaction) {
                      transaction.execute("TRUNCATE account_score");
                    })
                    .ok());
    // Two replicas read the same topic, each some of it and some of it twice.
    std::array<ScoreView, 2> views;
    for (const auto& [user_id, score] : told) {
      for (ScoreView& view : views) {
        view.apply(app.account_ids.of(user_id).to_string(), score.dump());
        if (random() % 3 != 0) continue;
        ASSERT_TRUE(database.transact([&](Transaction& t) { view.flush(t); }).ok());
        if (random() % 2 == 0) view.flushed();
      }
    }
    for (ScoreView& view : views) {
      ASSERT_TRUE(database.transact([&](Transaction& t) { view.flush(t); }).ok());
    }
    for (const char* user_id : {"1", "2", "3"}) {
      const auto kept = score_of(user_id);
      ASSERT_TRUE(kept);
      EXPECT_EQ(kept->version, 5);
      EXPECT_EQ(core::format_day(kept->as_of), "2026-05-04");
      EXPECT_EQ(kept->points, 65);
    }
  }
}

TEST_F(ReadModel, CountsAVisitByAnotherOncePerDay) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  project_accounts();
  const std::jthread recorder([&](const std::stop_token& stop) { app.views.run(stop); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(app.get("/v1/profiles/1", ada.access).status, 200);
    EXPECT_EQ(app.get("/v1/profiles/1", bob.access).status, 200);
    EXPECT_EQ(app.get("/v1/profiles/9", bob.access).status, 404);
  }
  ASSERT_TRUE(app.views.wait_until_idle(std::chrono::seconds(10)));
  EXPECT_EQ(app.count("ProfileViewed"), 1u);
  for (const auto& event : app.events()) {
    if (event.type != "ProfileViewed") continue;
    const json data = json::parse(event.data);
    EXPECT_EQ(data.at("viewer"), app.account_ids.of("2").to_string());
    EXPECT_EQ(data.at("owner"), app.account_ids.of("1").to_string());
    EXPECT_EQ(data.at("day"), "2026-05-01");
    EXPECT_EQ(event.metadata.correlation_id, "correlation-1");
  }
}

TEST_F(ReadModel, ShowsNobodyAcrossABlock) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  project_accounts();
  block("1", "2");
  EXPECT_EQ(app.get("/v1/profiles/1", bob.access).body, app.get("/v1/profiles/9", bob.access).body);
  EXPECT_EQ(app.get("/v1/profiles/2", ada.access).status, 404);
  EXPECT_EQ(app.get("/v1/profiles/1", ada.access).status, 200);
  EXPECT_EQ(app.count("ProfileViewed"), 0u);
}

TEST_F(ReadModel, ShowsNobodyWhoHasClosed) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  project_accounts();
  ASSERT_EQ(
      app.call(http::Method::Delete, "/v1/me", {{"password", app.kPassword}}, {.token = ada.access})
          .status,
      204);
  // At once, before the projection knows: the key is gone.
  EXPECT_EQ(app.get("/v1/profiles/1", bob.access).status, 404);
  project_accounts();
  EXPECT_EQ(app.get("/v1/profiles/1", bob.access).status, 404);
}

TEST_F(ReadModel, SaysWhenAProfileMayBeOld) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  project_accounts();
  const auto changed =
      app.call(http::Method::Patch, "/v1/me", {{"department", "Physics"}}, {.token = ada.access});
  const std::string position(*changed.headers.find("Tideline-Position"));
  const auto look = [&] {
    return app.call(http::Method::Get, "/v1/profiles/1", nullptr,
                    {.token = bob.access, .position = position});
  };
  const auto stale = look();
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.headers.find("Tideline-Stale"), "true");
  EXPECT_EQ(json::parse(stale.body).at("department"), "Mathematics");
  project_accounts();
  app.accounts_applied.advance(*eventsourcing::PositionVector::from_token(position));
  const auto fresh = look();
  EXPECT_FALSE(fresh.headers.find("Tideline-Stale"));
  EXPECT_EQ(json::parse(fresh.body).at("department"), "Physics");
  // The owner waits for points and visits, too.
  const auto own = [&] {
    return app.call(http::Method::Get, "/v1/profiles/1", nullptr,
                    {.token = ada.access, .position = position});
  };
  const auto seen = *eventsourcing::PositionVector::from_token(position);
  app.visits_applied.advance(seen);
  EXPECT_EQ(own().headers.find("Tideline-Stale"), "true");
  app.scores_applied.advance(seen);
  EXPECT_FALSE(own().headers.find("Tideline-Stale"));
}

}  // namespace
}  // namespace tideline::accounts::testing
