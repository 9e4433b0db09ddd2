#include "http/messages/cursor.hpp"
#include "scoring/api/statistics_json.hpp"
#include "scoring/projections/snapshot/snapshot_take.hpp"
#include "scoring/tests/integration/running_routes.hpp"

namespace tideline::scoring {
namespace {

TEST_F(RoutesTest, OwnPointsAreThereWithTheToken) {
  register_person("0711");
  EXPECT_EQ(get("/v1/points/me", "0711"), Json::parse(R"({
    "user_id": "0711", "real_name": "Name of 0711", "avatar": null, "points": 0, "level": 1, "next_level_at": 50,
    "rank": 1, "rank_exact": true, "top_percent": null, "percentile": 0})"));
  publish("accounts", "SignedIn", {{"account_id", id("0711")}});
  EXPECT_EQ(get("/v1/points/me", "0711").at("points"), 3);
  register_person("0712");
  EXPECT_EQ(get("/v1/points/0711", "0712").at("points"), 3);
  EXPECT_EQ(get("/v1/points/0712", "0711").at("rank"), 2);
}

TEST_F(RoutesTest, ARankFarDownComesWithItsPercentage) {
  for (const char* user_id : {"a", "b", "c", "d"}) register_person(user_id);
  for (const char* user_id : {"a", "b"}) {
    publish("accounts", "SignedIn", {{"account_id", id(user_id)}});
  }
  const Json rank = get("/v1/ranks/c", "a");
  EXPECT_EQ(rank.at("rank"), 3);
  EXPECT_EQ(rank.at("rank_exact"), false);
  EXPECT_EQ(rank.at("top_percent"), 75);
  EXPECT_EQ(rank.at("percentile"), 0);
  EXPECT_EQ(get("/v1/ranks/a", "a").at("percentile"), 50);
  EXPECT_EQ(rank.at("members"), 4);
  EXPECT_EQ(rank.at("user").at("user_id"), "c");
}

TEST_F(RoutesTest, TheLeaderboardPages) {
  for (int i = 1; i <= 5; ++i) {
    const std::string user_id = "u" + std::to_string(i);
    register_person(user_id);
    publish("scoring", "PointsAdjusted",
            {{"account_id", id(user_id)}, {"delta", i}, {"reason", "x"}, {"operator", id("boss")}});
  }
  const Json first = get("/v1/leaderboard", "u1", {{"limit", "3"}});
  ASSERT_EQ(first.at("items").size(), 3U);
  EXPECT_EQ(first.at("items")[0].at("user").at("user_id"), "u5");
  EXPECT_EQ(first.at("items")[0].at("points"), 5);
  EXPECT_EQ(first.at("items")[0].at("level"), 1);
  EXPECT_TRUE(first.at("before").is_null());
  const Json second = get("/v1/leaderboard", "u1", {{"limit", "3"}, {"after", first.at("after")}});
  ASSERT_EQ(second.at("items").size(), 2U);
  EXPECT_EQ(second.at("items")[0].at("rank"), 4);
  EXPECT_TRUE(second.at("after").is_null());
  const Json back = get("/v1/leaderboard", "u1", {{"limit", "3"}, {"before", second.at("before")}});
  EXPECT_EQ(back.at("items"), first.at("items"));
  const Json around = get("/v1/ranks/u3/around", "u1", {{"span", "1"}});
  ASSERT_EQ(around.at("items").size(), 3U);
  EXPECT_EQ(around.at("items")[1].at("user").at("user_id"), "u3");
}

// Midnight at the campus is 16:00 UTC.
TEST_F(RoutesTest, BoardsOfPeriodsBeginAnewAtTheCampusMidnight) {
  register_person("ada");
  register_person("bob");
  publish("accounts", "SignedIn", {{"account_id", id("ada")}}, at("2026-05-20T15:59:59.999999Z"));
  publish("accounts", "SignedIn", {{"account_id", id("bob")}}, at("2026-05-19T15:59:59.999999Z"));
  const auto listed = [&](const char* period) {
    std::string names;
    const Json board = get("/v1/leaderboard", "ada", {{"period", period}});
    for (const Json& one : board.at("items")) {
      names += one.at("user").at("user_id").get<std::string>() + " ";
    }
    return names;
  };
  EXPECT_EQ(listed("day"), "ada ");
  EXPECT_EQ(listed("last-day"), "bob ");
  EXPECT_EQ(listed("week"), "bob ada ");
  EXPECT_EQ(listed("last-week"), "");
  EXPECT_EQ(listed("month"), "bob ada ");
  const Json rank = get("/v1/ranks/bob", "ada", {{"period", "last-day"}});
  EXPECT_EQ(rank.at("rank"), 1);
  EXPECT_EQ(rank.at("members"), 1);
  EXPECT_TRUE(get("/v1/ranks/bob", "ada", {{"period", "day"}}).at("rank").is_null());
  EXPECT_EQ(get("/v1/ranks/bob/around", "ada", {{"period", "week"}}).at("items").size(), 2U);

  clock.advance(at("2026-05-20T16:00:00.000000Z") - kNow);
  EXPECT_EQ(listed("day"), "");
  EXPECT_EQ(listed("last-day"), "ada ");
  clock.advance(14 * 24h);
  EXPECT_EQ(listed("week"), "");
  EXPECT_EQ(listed("last-month"), "bob ada ");
  EXPECT_EQ(listed("all"), "bob ada ");
}

TEST_F(RoutesTest, ADepartmentHasABoardOfItsOwn) {
  for (const char* user_id : {"ada", "bob", "cem"}) register_person(user_id);
  publish("accounts", "SignedIn", {{"account_id", id("cem")}});
  engine.set_department(account_ids.of("ada"), "Physics & co");
  engine.set_department(account_ids.of("bob"), "Law");
  engine.set_department(account_ids.of("cem"), "Physics & co");
  const Json board = get("/v1/leaderboard", "bob", {{"department", "Physics & co"}});
  ASSERT_EQ(board.at("items").size(), 2U);
  EXPECT_EQ(board.at("items")[0].at("user").at("user_id"), "cem");
  EXPECT_EQ(get("/v1/ranks/ada", "bob", {{"department", "Physics & co"}}).at("rank"), 2);
  EXPECT_TRUE(get("/v1/ranks/ada", "bob", {{"department", "Law"}}).at("rank").is_null());
  EXPECT_EQ(get("/v1/leaderboard", "bob", {{"department", "None"}}).at("items"), Json::array());
}

TEST_F(RoutesTest, ADepartmentHasABoardOfEachPeriodToo) {
  for (const char* user_id : {"ada", "bob", "cem"}) register_person(user_id);
  for (const char* user_id : {"ada", "bob"}) {
    publish("accounts", "SignedIn", {{"account_id", id(user_id)}});
    engine.set_department(account_ids.of(user_id), "Law");
  }
  engine.set_department(account_ids.of("cem"), "Law");
  const auto listed = [&](const char* period, const char* department) {
    std::string all;
    const Json page =
        get("/v1/leaderboard", "bob", {{"period", period}, {"department", department}});
    for (const Json& item : page.at("items")) {
      all += item.at("user").at("user_id").get<std::string>() + " ";
    }
    return all;
  };
  EXPECT_EQ(listed("day", "Law"), "ada bob ");
  EXPECT_EQ(listed("all", "Law"), "ada bob cem ");
  engine.set_department(account_ids.of("ada"), "Physics");
  EXPECT_EQ(listed("day", "Law"), "bob ");
  EXPECT_EQ(listed("day", "Physics"), "ada ");
  clock.advance(24h);
  EXPECT_EQ(listed("day", "Law"), "");
  EXPECT_EQ(listed("last-day", "Law"), "bob ");
  EXPECT_EQ(get("/v1/ranks/bob", "ada", {{"period", "last-day"}, {"department", "Law"}}).at("rank"),
            1);
}

TEST_F(RoutesTest, LevelsSayHowManyAreOnThem) {
  for (const char* user_id : {"ada", "bob", "cem"}) register_person(user_id);
  for (const auto& [user_id, delta] : {std::pair{"ada", 50}, {"bob", -1}}) {
    publish(
        "scoring", "PointsAdjusted",
        {{"account_id", id(user_id)}, {"delta", delta}, {"reason", "x"}, {"operator", id("o")}});
  }
  const Json answer = get("/v1/points/levels", "ada");
  EXPECT_EQ(answer.at("members"), 3);
  ASSERT_EQ(answer.at("levels").size(), 11U);
  EXPECT_EQ(answer.at("levels")[0], Json::parse(R"({"level": 0, "points": null, "members": 1})"));
  EXPECT_EQ(answer.at("levels")[1], Json::parse(R"({"level": 1, "points": 0, "members": 1})"));
  EXPECT_EQ(answer.at("levels")[2], Json::parse(R"({"level": 2, "points": 50, "members": 1})"));
}

TEST_F(RoutesTest, TheCalendarIsOfTheCampusYear) {
  register_person("ada");
  publish("projects", "ProjectCreated",
          {{"project_id", "00000000000000000000000000"}, {"author", id("ada")}},
          at("2025-12-31T16:00:00.000000Z"));
  publish("projects", "CommentAdded",
          {{"project_id", "00000000000000000000000000"}, {"author", id("ada")}});
  EXPECT_EQ(get("/v1/calendars/ada", "ada"), Json::parse(R"({
    "user_id": "ada", "real_name": "Name of ada", "avatar": null, "year": 2026,
    "months": [{"month": 1, "days": [{"day": 1, "contributions": 5}]},
               {"month": 5, "days": [{"day": 20, "contributions": 2}]}],
    "historyscore": 7, "currentscore": 2})"));
  EXPECT_EQ(get("/v1/calendars/ada", "ada", {{"year", "2024"}}).at("months"), Json::array());
  const Json may = get("/v1/calendars/ada", "ada", {{"year", "2026"}, {"month", "5"}});
  EXPECT_EQ(may.at("months"),
            Json::parse(R"([{"month": 5, "days": [{"day": 20, "contributions": 2}]}])"));
  EXPECT_EQ(may.at("historyscore"), 7);
}

TEST_F(RoutesTest, AnExportHasPointsTheWholeLedgerAndRatings) {
  register_person("ada");
  register_person("bob");
  for (int i = 0; i < 3; ++i) {
    publish("accounts", "ProfileViewed", {{"owner", id("ada")}, {"viewer", id("bob")}},
            kNow + std::chrono::seconds(i));
  }
  for (const int limit : {1, 2, 100}) {
    std::vector<std::string> sections;
    http::Parameters parameters{{"limit", std::to_string(limit)}};
    while (true) {
      const Json page = get("/v1/scoring-export", "ada", parameters);
      for (const Json& item : page.at("items")) sections.push_back(item.at("section"));
      if (page.at("after").is_null()) break;
      parameters = {{"limit", std::to_string(limit)}, {"after", page.at("after")}};
    }
    EXPECT_EQ(sections, (std::vector<std::string>{"points", "ledger", "ledger", "ledger"}))
        << limit;
  }
}

TEST_F(RoutesTest, TheLedgerSaysWhatForAndWithWhom) {
  register_person("ada");
  register_person("bob");
  publish("social-graph", "ContactAccepted",
          {{"from", id("ada")}, {"to", id("bob")}, {"first", true}});
  publish("accounts", "ProfileViewed", {{"owner", id("ada")}, {"viewer", id("bob")}}, kNow + 1s);
  const Json ledger = get("/v1/points/me/ledger", "ada", {{"limit", "1"}});
  ASSERT_EQ(ledger.at("items").size(), 1U);
  EXPECT_EQ(ledger.at("items")[0].at("reason"), "profile-viewed");
  EXPECT_TRUE(ledger.at("items")[0].at("source").at("user").is_null());
  const Json older =
      get("/v1/points/me/ledger", "ada", {{"limit", "1"}, {"after", ledger.at("after")}});
  EXPECT_EQ(older.at("items")[0], Json::parse(R"({
    "time": "2026-05-20T09:00:00.000000Z", "reason": "contact", "delta": 5, "capped": false,
    "source": {"event": "social-graph/0/1",
               "user": {"user_id": "bob", "real_name": "Name of bob", "avatar": null},
               "project_id": null, "note": null}})"));
}

TEST_F(RoutesTest, OperatorsAdjust) {
  register_person("ada");
  const Response done = adjust("ada", {{"delta", -8}, {"reason", "counted twice"}});
  ASSERT_EQ(done.status, 201) << done.body;
  EXPECT_EQ(Json::parse(done.body).at("delta"), -8);
  EXPECT_EQ(Json::parse(done.body).at("user").at("user_id"), "ada");
  EXPECT_EQ(done.headers.find("ETag"), "\"1\"");
  const Json points = get("/v1/points/me", "ada");
  EXPECT_EQ(points.at("points"), -8);
  EXPECT_EQ(points.at("level"), 0);
  EXPECT_EQ(points.at("next_level_at"), 0);
}

TEST_F(RoutesTest, AnOperatorsReasonIsInTheLedgerSealed) {
  register_person("ada");
  ASSERT_EQ(adjust("ada", {{"delta", -8}, {"reason", "counted twice"}}).status, 201);
  const auto note = [&] {
    return get("/v1/points/me/ledger", "ada").at("items").at(0).at("source").at("note");
  };
  EXPECT_EQ(note(), "counted twice");
  const auto stored = database.read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT note FROM ledger").at(0).text(0);
  });
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(stored->starts_with("1.")) << *stored;
  ASSERT_TRUE(cipher.destroy(account_ids.of("ada")).ok());
  EXPECT_EQ(note(), nullptr);
}

TEST_F(RoutesTest, ARatingIsReplacedAndItsMeanIsExact) {
  for (const char* user_id : {"ada", "bob", "cem"}) register_person(user_id);
  EXPECT_EQ(get("/v1/ratings/people/ada", "bob"), Json::parse(R"({
    "user": {"user_id": "ada", "real_name": "Name of ada", "avatar": null}, "ratings": 0, "stars": 0, "mean": null,
    "bayesian_mean": 3.0, "given": null})"));
  EXPECT_EQ(rate("people/ada", 5, "bob").status, 200);
  EXPECT_EQ(rate("people/ada", 2, "cem").status, 200);
  const Response again = rate("people/ada", 3, "bob");
  EXPECT_EQ(Json::parse(again.body), Json::parse(R"({
    "user": {"user_id": "ada", "real_name": "Name of ada", "avatar": null}, "stars": 3})"));
  EXPECT_EQ(again.headers.find("ETag"), "\"2\"");
  const Json ada = get("/v1/ratings/people/ada", "bob");
  EXPECT_EQ(ada.at("ratings"), 2);
  EXPECT_EQ(ada.at("stars"), 5);
  EXPECT_EQ(ada.at("mean"), 2.5);
  EXPECT_EQ(ada.at("given"), 3);
  // Nobody earns points by it.
  EXPECT_EQ(get("/v1/points/me", "ada").at("points"), 0);
}

TEST_F(RoutesTest, NobodyRatesAcrossABlock) {
  const std::string project = "00000000000000000000000010";
  for (const char* user_id : {"ada", "bob"}) register_person(user_id);
  publish("projects", "ProjectCreated", {{"project_id", project}, {"author", id("ada")}});
  EXPECT_EQ(rate("people/ada", 5, "bob").status, 200);
  const auto blocked = database.transact([&](sql::Transaction& transaction) {
    transaction.execute(
        "INSERT INTO person_block (owner, other, active, since, version)"
        " VALUES ($1::uuid, $2::uuid, true, now(), 1)",
        {account_ids.of("ada"), account_ids.of("bob")});
  });
  ASSERT_TRUE(blocked.ok()) << blocked.error().message;
  for (const auto& [who, subject] : {std::pair{"bob", "people/ada"},
                                     {"ada", "people/bob"},
                                     {"bob", "projects/00000000000000000000000010"}}) {
    EXPECT_EQ(rate(subject, 1, who).status, 404) << who << subject;
    const std::string path = "/v1/ratings/" + std::string(subject);
    EXPECT_EQ(send(Method::Get, path, who).status, 404) << who << subject;
  }
  EXPECT_EQ(get("/v1/ratings/people/ada", "ada").at("stars"), 5);
}

TEST_F(RoutesTest, TheBestRatedComeFirst) {
  const std::string good = "00000000000000000000000010";
  const std::string best = "00000000000000000000000020";
  for (const char* user_id : {"ada", "bob", "cem"}) register_person(user_id);
  for (const std::string& project : {good, best}) {
    publish("projects", "ProjectCreated", {{"project_id", project}, {"author", id("ada")}});
  }
  EXPECT_EQ(rate("projects/" + good, 4, "bob").status, 200);
  EXPECT_EQ(rate("projects/" + best, 4, "bob").status, 200);
  EXPECT_EQ(rate("projects/" + best, 4, "cem").status, 200);
  const Json first = get("/v1/ratings/projects", "ada", {{"limit", "1"}});
  ASSERT_EQ(first.at("items").size(), 1U);
  EXPECT_EQ(first.at("items")[0].at("project_id"), best) << "two of four stars outweigh one";
  EXPECT_EQ(first.at("items")[0].at("author").at("user_id"), "ada");
  const Json second =
      get("/v1/ratings/projects", "ada", {{"limit", "1"}, {"after", first.at("after")}});
  EXPECT_EQ(second.at("items")[0].at("project_id"), good);
  EXPECT_TRUE(second.at("after").is_null());
  const Json back =
      get("/v1/ratings/projects", "ada", {{"limit", "1"}, {"before", second.at("before")}});
  EXPECT_EQ(back.at("items"), first.at("items"));
  EXPECT_EQ(get("/v1/ratings/people", "ada").at("items"), Json::array());
}

TEST_F(RoutesTest, RefusesRatingsThatAreNone) {
  const std::string project = "00000000000000000000000010";
  register_person("ada");
  register_person("bob");
  publish("projects", "ProjectCreated", {{"project_id", project}, {"author", id("ada")}});
  EXPECT_EQ(rate("people/ada", 5, "ada").status, 422);
  EXPECT_EQ(rate("projects/" + project, 5, "ada").status, 422);
  EXPECT_EQ(rate("people/ada", 0, "bob").status, 422);
  EXPECT_EQ(rate("people/ada", 6, "bob").status, 422);
  EXPECT_EQ(rate("people/ada", "5", "bob").status, 422);
  EXPECT_EQ(rate("people/nobody", 5, "bob").status, 404);
  EXPECT_EQ(rate("projects/00000000000000000000000090", 5, "bob").status, 404);
  EXPECT_EQ(rate("projects/none", 5, "bob").status, 404);
  publish("accounts", "AccountClosed", {{"account_id", id("ada")}});
  EXPECT_EQ(rate("people/ada", 5, "bob").status, 404);
  const auto cursor = http::encode_cursor("ratings/person", "1,x");
  EXPECT_EQ(send(Method::Get, "/v1/ratings/people", "bob", {{"after", cursor}}).status, 400);
}

TEST_F(RoutesTest, RefusesAdjustmentsThatAreNone) {
  register_person("ada");
  EXPECT_EQ(adjust("ada", {{"delta", 1}, {"reason", "x"}}, "ada").status, 403);
  EXPECT_EQ(adjust("nobody", {{"delta", 1}, {"reason", "x"}}).status, 404);
  EXPECT_EQ(adjust("ada", {{"delta", 0}, {"reason", "x"}}).status, 422);
  EXPECT_EQ(adjust("ada", {{"delta", "1"}, {"reason", "x"}}).status, 422);
  EXPECT_EQ(adjust("ada", {{"delta", 1}, {"reason", ""}}).status, 422);
  EXPECT_EQ(adjust("ada", {{"delta", 1}, {"reason", "x"}, {"more", 1}}).status, 422);
  EXPECT_EQ(adjust("ada", {{"delta", 2'000'000'000}, {"reason", "x"}}).status, 422);
  publish("accounts", "AccountClosed", {{"account_id", id("ada")}});
  EXPECT_EQ(adjust("ada", {{"delta", 1}, {"reason", "x"}}).status, 409);
}

TEST_F(RoutesTest, RefusesWhatItCannotRead) {
  register_person("ada");
  const auto status = [&](std::string path, http::Parameters query) {
    return send(Method::Get, std::move(path), "ada", std::move(query)).status;
  };
  EXPECT_EQ(status("/v1/calendars/ada", {{"year", "twenty"}}), 400);
  EXPECT_EQ(status("/v1/calendars/ada", {{"year", "99999"}}), 400);
  EXPECT_EQ(status("/v1/ranks/ada/around", {{"span", "0"}}), 400);
  EXPECT_EQ(status("/v1/ranks/ada/around", {{"span", "51"}}), 400);
  EXPECT_EQ(status("/v1/leaderboard", {{"after", "bGVkZ2Vy"}}), 400);
  EXPECT_EQ(status("/v1/leaderboard", {{"after", http::encode_cursor("leaderboard", "1,2,3")}}),
            400);
  EXPECT_EQ(status("/v1/points/me/ledger", {{"after", http::encode_cursor("ledger", "1,'")}}), 400);
  EXPECT_EQ(status("/v1/leaderboard", {{"limit", "0"}}), 400);
  EXPECT_EQ(status("/v1/leaderboard", {{"period", "year"}}), 400);
  EXPECT_EQ(status("/v1/leaderboard", {{"department", ""}}), 400);
  EXPECT_EQ(status("/v1/ranks/ada", {{"period", "year"}, {"department", "Law"}}), 400);
  for (const char* path : {"/v1/points/bob", "/v1/ranks/bob", "/v1/ranks/bob/around",
                           "/v1/calendars/bob", "/v1/points/no person"}) {
    EXPECT_EQ(status(path, {}), 404) << path;
  }
}

TEST_F(RoutesTest, AClosedAccountIsNotShown) {
  register_person("ada");
  register_person("bob");
  publish("accounts", "AccountClosed", {{"account_id", id("bob")}});
  EXPECT_EQ(get("/v1/leaderboard", "ada").at("items").size(), 1U);
  for (const char* path : {"/v1/points/bob", "/v1/ranks/bob", "/v1/calendars/bob"}) {
    EXPECT_EQ(send(Method::Get, path, "ada").status, 404) << path;
  }
}

TEST_F(RoutesTest, AnswersThatComeTooEarlyAreMarked) {
  register_person("ada");
  seen.raise("projects", core::LogIndex(0), core::LogPosition(1'000'000));
  const Response early = send(Method::Get, "/v1/points/me", "ada");
  EXPECT_EQ(early.status, 200);
  EXPECT_EQ(early.headers.find("Tideline-Stale"), "true");
}

TEST_F(RoutesTest, OperatorsSeeTheStatisticsOfTheLastSnapshot) {
  EXPECT_EQ(send(Method::Get, "/v1/statistics", "boss/operator").status, 404);
  register_person("ada");
  register_person("bob");
  publish("projects", "ProjectCreated",
          {{"project_id", "00000000000000000000000000"}, {"author", id("ada")}});
  get("/v1/calendars/ada", "ada");  // until it is in the tables
  const auto file = take_snapshot(database, snapshots, {kNow, campus.day_of(kNow)}, 1);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto statistics = statistics_of(*file, Levels::standard());
  ASSERT_TRUE(snapshots.put_statistics(statistics_json(*statistics)).ok());
  EXPECT_EQ(send(Method::Get, "/v1/statistics", "ada").status, 403);
  const Json found = get("/v1/statistics", "boss/operator");
  EXPECT_EQ(found.at("as_of"), "2026-05-20T09:00:00.000000Z");
  EXPECT_EQ(found.at("members"), 2);
  EXPECT_EQ(found.at("scores")[1], Json::parse(R"({"from": 0, "below": 1, "members": 1})"));
  EXPECT_EQ(found.at("scores")[5], Json::parse(R"({"from": 10, "below": 20, "members": 1})"));
  EXPECT_EQ(found.at("levels")[1], Json::parse(R"({"level": 1, "members": 2})"));
  EXPECT_EQ(found.at("awards"), Json::parse(R"([
    {"day": "2026-05-20", "reason": "project-published", "events": 1, "points": 10}])"));
  EXPECT_EQ(found.at("active"), Json::parse(R"({
    "day": 1, "week": 1, "month": 1, "by_day": [{"day": "2026-05-20", "people": 1}]})"));
}

TEST_F(RoutesTest, TellsItsRules) {
  const Json rules = get("/v1/points/rules", "ada");
  EXPECT_EQ(rules.at("version"), 1);
  EXPECT_EQ(rules.at("rules").size(), kReasonCount - 1);
  EXPECT_EQ(rules.at("rules")[1], Json::parse(R"({
    "reason": "profile-viewed", "points": 1, "contribution": 0, "cap_per_day": 100})"));
  EXPECT_EQ(rules.at("levels")[1], Json::parse(R"({"level": 2, "points": 50})"));
}

}  // namespace
}  // namespace tideline::scoring
