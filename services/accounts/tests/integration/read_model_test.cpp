// The tables of accounts on a real PostgreSQL: what is read comes out the same however the events
// are cut into batches and the services' logs are mixed; and public profiles through their route.

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "../accounts_app.hpp"
#include "accounts/migrations.hpp"
#include "accounts/projections/account_projection.hpp"
#include "accounts/projections/account_queries.hpp"
#include "accounts/projections/project_list_projection.hpp"
#include "core/time_ordered_id.hpp"
#include "postgres/database.hpp"
#include "postgres/migrations.hpp"
#include "support/postgres_server.hpp"

namespace tideline::accounts::testing {
namespace {

using eventsourcing::Projection;
using eventsourcing::RecordedEvent;
using eventsourcing::Transaction;
using eventsourcing::Visibility;

postgres::DatabaseOptions fresh_database() {
  postgres::DatabaseOptions options;
  options.conninfo = test_support::PostgresServer::shared().create_database();
  const std::vector<postgres::MigrationSet> sets{postgres::base_migrations(AccountsApp::kLogs),
                                                 {"accounts", accounts::migrations()}};
  const auto migrated = postgres::migrate(options, sets);
  CHECK(migrated.ok(), "the migrations run on an empty database");
  return options;
}

class ReadModel : public ::testing::Test {
 protected:
  void flush(Projection& projection) {
    const auto flushed =
        database.transact([&](Transaction& transaction) { projection.flush(transaction); });
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
    projection.flushed();
  }
  void project(Projection& projection, const std::vector<RecordedEvent>& events,
               std::size_t batch) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].visibility == Visibility::Public) projection.apply(events[i]);
      if ((i + 1) % batch == 0) flush(projection);
    }
    flush(projection);
  }
  void project_accounts() {
    AccountProjection projection;
    project(projection, app.events(), 100'000);
  }

  // A project of somebody, as projects tells of it.
  RecordedEvent project_created(const std::string& user_id) {
    app.clock.advance(std::chrono::milliseconds(5));
    RecordedEvent event;
    event.source = "projects";
    event.type = "ProjectCreated";
    project_ids.push_back(core::make_time_ordered_id(app.clock.now(), app.random));
    event.data = json{
        {"project_id", project_ids.back()},
        {"author", app.account_ids.of(user_id).to_string()},
        {"card",
         "1.x"}}.dump();
    return event;
  }

  std::string everything() {
    const auto text = database.read([&](Transaction& transaction) {
      std::string all;
      for (const char* user_id : {"1", "2", "3", "4"}) {
        const auto id = app.account_ids.of(user_id);
        const auto row = find_open_account(transaction, id);
        const auto list = find_projects(transaction, id, 10);
        all += std::string(user_id) + ": ";
        if (row) {
          all += row->sealed_profile + " " + core::format_iso8601(row->registered_at) + " " +
                 std::to_string(row->version.value());
        }
        for (const auto& project : list.newest) all += " " + project;
        all += "\n";
      }
      return all;
    });
    CHECK(text.ok(), "the queries run");
    return *text;
  }

  postgres::PooledDatabase database{fresh_database()};
  AccountsApp app{database};
  std::vector<std::string> project_ids;
};

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

TEST_F(ReadModel, EachQueryTouchesOnePartition) {
  const auto plans = database.read([](Transaction& transaction) {
    std::vector<std::string> texts;
    for (const char* sql :
         {"SELECT profile FROM account WHERE account_id = '00000000-0000-0000-0000-000000000000'",
          "SELECT count(*) FROM account_project WHERE author = "
          "'00000000-0000-0000-0000-000000000000'",
          "SELECT project_id FROM account_project WHERE author = "
          "'00000000-0000-0000-0000-000000000000' ORDER BY project_id DESC LIMIT 100"}) {
      std::string plan;
      for (const auto& row : transaction.execute("EXPLAIN " + std::string(sql))) {
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
                  {"sex", 0},
                  {"department", "Mathematics"},
                  {"registered_at", "2026-05-01T12:00:00.250000Z"},
                  {"project_ids", {project_ids[2], project_ids[1], project_ids[0]}},
                  {"project_count", 3}}));
  EXPECT_EQ(response.headers.find("ETag"), "\"1\"");
  for (const char* unknown : {"/v1/profiles/9", "/v1/profiles/01", "/v1/profiles/a b"}) {
    const auto missing = app.get(unknown, bob.access);
    EXPECT_EQ(missing.status, 404) << unknown;
    EXPECT_EQ(problem_code(missing), "no-such-person");
  }
  EXPECT_EQ(app.get("/v1/profiles/1", "").status, 401);
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
  project_accounts();
  const auto changed =
      app.call(http::Method::Patch, "/v1/me", {{"department", "Physics"}}, {.token = ada.access});
  const std::string position(*changed.headers.find("Tideline-Position"));
  const auto look = [&] {
    return app.call(http::Method::Get, "/v1/profiles/1", nullptr,
                    {.token = ada.access, .position = position});
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
}

}  // namespace
}  // namespace tideline::accounts::testing
