// The service without its threads: the routes over a store and keys in memory and a real
// PostgreSQL, into which events are projected when a test says so.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blocks/blocks.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "http/routing/authentication.hpp"
#include "people/people_directory.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"
#include "projects/api/routes.hpp"
#include "projects/migrations.hpp"
#include "projects/projections/project_search.hpp"
#include "projects/projections/projects_projection.hpp"
#include "support/plain_seal.hpp"
#include "support/postgres_server.hpp"
#include "uploads/content_store.hpp"
#include "uploads/large_content_store.hpp"

namespace tideline::projects {

// A migrated database of its own, on the test binary's one PostgreSQL.
inline postgres::DatabaseOptions fresh_projects_database(std::uint32_t logs) {
  postgres::DatabaseOptions options;
  options.conninfo = test_support::PostgresServer::shared().create_database();
  options.connections_max = 4;
  const std::array<postgres::MigrationSet, 5> sets{
      postgres::base_migrations(logs),
      postgres::MigrationSet{"people",
                             {{1, "person", people::kPersonTableSql},
                              {2, "person_profile", people::kPersonProfileTableSql},
                              {3, "person_avatar", people::kPersonAvatarSql}}},
      postgres::MigrationSet{"blocks", {{1, "person_block", blocks::kBlockTableSql}}},
      postgres::MigrationSet{"uploads",
                             {{1, "upload", uploads::kUploadTableSql},
                              {2, "upload_image", uploads::kUploadImageSql},
                              {3, "large_upload", uploads::kLargeUploadTableSql}}},
      postgres::MigrationSet{"projects", migrations()}};
  const auto migrated = postgres::migrate(options, sets);
  CHECK(migrated.ok(), "the migrations run on an empty database");
  return options;
}

// A bearer token is the user_id.
class NameVerifier final : public http::TokenVerifier {
 public:
  explicit NameVerifier(const crypto::AccountIds& ids) : ids_(ids) {}
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override {
    return http::VerifiedToken{{ids_.of(bearer), {"user"}}, now + std::chrono::hours(1)};
  }

 private:
  const crypto::AccountIds& ids_;
};

class ProjectsApp {
 public:
  using Json = nlohmann::json;
  static constexpr std::uint32_t kLogs = 4;

  ProjectsApp() {
    people_applied.reset({"accounts"}, {});
    blocks_applied.reset({"social-graph"}, {});
    projects_applied.reset({"projects"}, {});
    search_applied.reset({"projects"}, {});
    router.set_signed_links(links);
    add_routes(router, {.commands = commands,
                        .database = database,
                        .clock = clock,
                        .random = random,
                        .account_ids = account_ids,
                        .cipher = cipher,
                        .people = people,
                        .uploads = uploads,
                        .large_uploads = large_uploads,
                        .images = images,
                        .renditions = renditions,
                        .links = *links,
                        .people_applied = people_applied,
                        .blocks_applied = blocks_applied,
                        .projects_applied = projects_applied,
                        .search_applied = search_applied});
  }

  void execute(const std::string& sql, const sql::Params& params = {}) {
    const auto done =
        database.transact([&](sql::Transaction& transaction) { transaction.execute(sql, params); });
    ASSERT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
  }
  void enter_person(const std::string& user_id) {
    const auto account = account_ids.of(user_id);
    execute("INSERT INTO person (account_id, closed) VALUES ($1::uuid, false)", {account});
    execute(
        "INSERT INTO person_profile (account_id, version, user_id, real_name, department, closed)"
        " VALUES ($1::uuid, 1, $2, $3, '', false)",
        {account, user_id, "Name of " + user_id});
  }

  void block(const std::string& by, const std::string& other) {
    execute(
        "INSERT INTO person_block (owner, other, active, since, version)"
        " VALUES ($1::uuid, $2::uuid, true, now(), 1)",
        {account_ids.of(by), account_ids.of(other)});
  }

  // `who`: empty for no token. `body`: a text is sent as it is. Every event is in the tables when
  // this returns.
  http::Response call(const std::string& who, http::Method method, const std::string& path,
                      const Json& body = nullptr, const http::Parameters& headers = {}) {
    http::Request request;
    request.method = method;
    const auto mark = path.find('?');
    request.path = path.substr(0, mark);
    for (auto begin = mark; begin != std::string::npos;) {
      const auto end = path.find('&', begin + 1);
      const std::string one = path.substr(begin + 1, end - begin - 1);
      request.query_parameters.emplace_back(one.substr(0, one.find('=')),
                                            one.substr(one.find('=') + 1));
      begin = end;
    }
    if (!who.empty()) request.headers.add("Authorization", "Bearer " + who);
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    if (body.is_string()) {
      request.body = body.get<std::string>();
    } else if (!body.is_null()) {
      request.headers.add("Content-Type", "application/json");
      request.body = body.dump();
    }
    http::Response response = router.dispatch(request);
    project();
    return response;
  }
  Json get(const std::string& who, const std::string& path) {
    const auto response = call(who, http::Method::Get, path);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    return response.status == 200 ? Json::parse(response.body) : Json();
  }
  std::string create(const std::string& author) {
    const auto response = call(author, http::Method::Post, "/v1/projects", {{"name", "Tides"}});
    EXPECT_EQ(response.status, 201) << response.body;
    return Json::parse(response.body).at("id").get<std::string>();
  }

  core::ManualClock clock{core::Timestamp(std::chrono::milliseconds(1'800'000'000'000))};
  core::SeededRandom random{7};
  postgres::PooledDatabase database{fresh_projects_database(kLogs)};
  eventsourcing::InMemoryEventStore store{"projects", kLogs, clock, random};
  http::CommandEndpoint commands{store, clock};
  crypto::InMemorySubjectKeys keys;
  crypto::AccountIds account_ids{crypto::AccountIds::Secret{1, 2, 3}};
  crypto::SubjectCipher cipher{keys, clock, {.indexed_by = account_ids}};
  people::PeopleDirectory people;
  uploads::TableContentStore uploads{database};
  uploads::TableLargeContentStore large_uploads{database};
  uploads::TableImageStore images{database, uploads};
  images::RenditionMaker renditions;
  std::shared_ptr<const http::SignedLinks> links =
      std::make_shared<http::SignedLinks>(test_support::plain_seal(), clock);
  ProjectsProjection projection;
  ProjectSearchProjection search{cipher};
  eventsourcing::AppliedPositions people_applied, blocks_applied, projects_applied, search_applied;
  http::Router router{std::make_shared<NameVerifier>(account_ids), clock};

 private:
  void project() {
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      const auto events =
          store.read_log(core::LogIndex(log), read_.at("projects", core::LogIndex(log)), 1000);
      ASSERT_TRUE(events.ok());
      for (const auto& event : *events) {
        projection.apply(event);
        search.apply(event);
        read_.raise("projects", event.log, event.position);
      }
    }
    const auto flushed = database.transact([&](sql::Transaction& transaction) {
      projection.flush(transaction);
      search.flush(transaction);
    });
    ASSERT_TRUE(flushed.ok()) << (flushed.ok() ? "" : flushed.error().message);
    projection.flushed();
    search.flushed();
    projects_applied.advance(read_);
    search_applied.advance(read_);
  }

  eventsourcing::PositionVector read_;
};

}  // namespace tideline::projects
