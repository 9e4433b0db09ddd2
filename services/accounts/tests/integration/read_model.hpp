// The tables of accounts on a real PostgreSQL, filled by its projections from what the service has
// written.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../accounts_app.hpp"
#include "accounts/migrations.hpp"
#include "accounts/projections/account_projection.hpp"
#include "accounts/projections/account_queries.hpp"
#include "accounts/projections/profile_visits.hpp"
#include "accounts/projections/score_queries.hpp"
#include "blocks/blocks.hpp"
#include "core/time_ordered_id.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "support/postgres_server.hpp"
#include "uploads/content_store.hpp"
#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::accounts::testing {
using eventsourcing::Projection;
using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;
using sql::Transaction;

inline postgres::DatabaseOptions fresh_database() {
  postgres::DatabaseOptions options;
  options.conninfo = test_support::PostgresServer::shared().create_database();
  const std::vector<postgres::MigrationSet> sets{
      postgres::base_migrations(AccountsApp::kLogs),
      {"people",
       {{1, "person", people::kPersonTableSql},
        {2, "person_profile", people::kPersonProfileTableSql},
        {3, "person_avatar", people::kPersonAvatarSql}}},
      {"uploads",
       {{1, "upload", uploads::kUploadTableSql},
        {2, "upload_image", uploads::kUploadImageSql},
        {3, "large_upload", uploads::kLargeUploadTableSql}}},
      {"blocks", {{1, "person_block", blocks::kBlockTableSql}}},
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

  // As the topic of scores tells it.
  void tell_score(const std::string& user_id, const json& score) {
    ScoreView view;
    view.apply(app.account_ids.of(user_id).to_string(), score.dump());
    const auto flushed =
        database.transact([&](Transaction& transaction) { view.flush(transaction); });
    ASSERT_TRUE(flushed.ok()) << flushed.error().message;
  }
  std::optional<PublishedScore> score_of(const std::string& user_id) {
    const auto found = database.read([&](Transaction& transaction) {
      return find_score(transaction, app.account_ids.of(user_id));
    });
    CHECK(found.ok(), "the query runs");
    return *found;
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

  void block(const std::string& by, const std::string& other) {
    const auto blocked = database.transact([&](Transaction& transaction) {
      transaction.execute(
          "INSERT INTO person_block (owner, other, active, since, version)"
          " VALUES ($1::uuid, $2::uuid, true, now(), 1)",
          {app.account_ids.of(by), app.account_ids.of(other)});
    });
    ASSERT_TRUE(blocked.ok());
  }
  VisitCounts visits_of(const std::string& user_id, core::Day today) {
    return database
        .read([&](Transaction& transaction) {
          return find_visits(transaction, app.account_ids.of(user_id), today);
        })
        .value();
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

}  // namespace tideline::accounts::testing
