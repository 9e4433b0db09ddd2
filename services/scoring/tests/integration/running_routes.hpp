// The routes as clients see them: events of other services come in by topics, commands go through
// the store, answers come from the engine and from a real PostgreSQL.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "crypto/tests/temporary_folder.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "eventsourcing/topics/in_memory_topics.hpp"
#include "people/people_projection.hpp"
#include "people/profile_view.hpp"
#include "projections/runner/projection_runner.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/stored_rules.hpp"
#include "scoring/projections/rating_projection.hpp"
#include "scoring/tests/histories.hpp"
#include "scoring/tests/integration/scoring_database.hpp"

namespace tideline::scoring {

using namespace std::chrono_literals;
namespace es = eventsourcing;
using http::Method;
using http::Response;
using Json = nlohmann::json;

inline const core::Timestamp kNow = at("2026-05-20T09:00:00.000000Z");

// A token is "<user_id>" or "<user_id>/operator".
class NameVerifier final : public http::TokenVerifier {
 public:
  explicit NameVerifier(const crypto::AccountIds& ids) : ids_(ids) {}
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override {
    const auto slash = bearer.find('/');
    http::Principal principal{ids_.of(bearer.substr(0, slash)), {"user"}};
    if (slash != std::string_view::npos) principal.roles.emplace_back(bearer.substr(slash + 1));
    return http::VerifiedToken{std::move(principal), now + 1h};
  }

 private:
  const crypto::AccountIds& ids_;
};

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest() {
    add_routes(router, {.commands = commands,
                        .database = database,
                        .clock = clock,
                        .random = random,
                        .campus = campus,
                        .account_ids = account_ids,
                        .cipher = cipher,
                        .people = directory,
                        .scores = engine,
                        .people_applied = people_runner.applied(),
                        .blocks_applied = people_runner.applied(),
                        .scores_in_memory = score_runner.in_memory(),
                        .scores_committed = score_runner.applied(),
                        .ratings_applied = rating_runner.applied(),
                        .rank_exact_max = 2,
                        .snapshots = snapshots});
    threads.emplace_back([this](std::stop_token stop) { people_runner.run(stop); });
    threads.emplace_back([this](std::stop_token stop) { score_runner.run(stop); });
    threads.emplace_back([this](std::stop_token stop) { rating_runner.run(stop); });
  }
  ~RoutesTest() override {
    for (auto& thread : threads) thread.request_stop();
    threads.clear();
  }

  std::string id(const std::string& user_id) { return account_ids.of(user_id).to_string(); }

  void publish(std::string source, std::string type, const Json& data,
               core::Timestamp time = kNow) {
    auto event = make.make(std::move(source), std::move(type), time, data);
    event.position = core::LogPosition(++positions[event.source]);
    seen.raise(event.source, event.log, event.position);
    topics.publish(event);
  }
  void register_person(const std::string& user_id) {
    publish("accounts", "AccountRegistered", {{"account_id", id(user_id)}});
    people::ProfileView view;
    view.apply(id(user_id), Json{{"version", 1},
                                 {"user_id", user_id},
                                 {"real_name", "Name of " + user_id},
                                 {"department", ""},
                                 {"closed", false}}
                                .dump());
    const auto named =
        database.transact([&](sql::Transaction& transaction) { view.flush(transaction); });
    ASSERT_TRUE(named.ok()) << named.error().message;
  }

  // With the position token of everything that was published.
  Response send(Method method, std::string path, std::string token, http::Parameters query = {},
                const Json& body = nullptr) {
    http::Request request;
    request.method = method;
    request.path = std::move(path);
    request.query_parameters = std::move(query);
    request.headers.add("Authorization", "Bearer " + token);
    if (!seen.empty()) request.headers.add("Tideline-Position", seen.to_token());
    if (!body.is_null()) {
      request.headers.add("Content-Type", "application/json");
      request.body = body.dump();
    }
    Response response = router.dispatch(request);
    if (const auto position = response.headers.find("Tideline-Position")) {
      seen.join(*es::PositionVector::from_token(*position));
    }
    return response;
  }
  Json get(std::string path, std::string token, http::Parameters query = {}) {
    const Response response = send(Method::Get, path, std::move(token), std::move(query));
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    EXPECT_FALSE(response.headers.find("Tideline-Stale").has_value()) << path;
    return Json::parse(response.body);
  }
  Response adjust(const std::string& user_id, const Json& body,
                  const std::string& token = "boss/operator") {
    Response response =
        send(Method::Post, "/v1/points/" + user_id + "/adjustments", token, {}, body);
    const auto relayed = topics.publish_from(store, "scoring");
    EXPECT_TRUE(relayed.ok());
    return response;
  }

  Response rate(const std::string& subject, const Json& stars, const std::string& token) {
    Response response = send(Method::Put, "/v1/ratings/" + subject, token, {}, {{"stars", stars}});
    const auto relayed = topics.publish_from(store, "scoring");
    EXPECT_TRUE(relayed.ok());
    return response;
  }

  core::ManualClock clock{kNow};
  core::SeededRandom random{7};
  ShiftedCalendar campus{8h};
  crypto::AccountIds account_ids{crypto::AccountIds::Secret{1, 2, 3}};
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher{keys, clock};
  postgres::PooledDatabase database{scoring_database()};
  people::PeopleDirectory directory;
  es::InMemoryEventStore store{"scoring", kLogs, clock, random};
  es::InMemoryTopics topics{kLogs};
  http::CommandEndpoint commands{store, clock, campus};
  StoredRules kept_rules{store, clock};
  ScoreEngine engine{kept_rules, campus, clock, {}};
  people::PeopleProjection people;
  projections::ProjectionRunner people_runner{
      people, {database, topics.source({"accounts"}), {}, {}}, kLogs};
  projections::ProjectionRunner score_runner{
      engine, {database, topics.source(engine.sources()), {}, {}}, kLogs};
  RatingProjection ratings;
  projections::ProjectionRunner rating_runner{
      ratings, {database, topics.source(ratings.sources()), {}, {}}, kLogs};
  http::Router router{std::make_shared<NameVerifier>(account_ids), clock};
  crypto::TemporaryFolder folder;
  SnapshotFolder snapshots{folder.path()};
  EventMaker make;
  std::map<std::string, std::uint64_t> positions;
  es::PositionVector seen;
  std::vector<std::jthread> threads;
};

}  // namespace tideline::scoring
