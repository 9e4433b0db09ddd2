#include "scoring/tests/integration/running_routes.hpp"

namespace tideline::scoring {
namespace {

// Rules as the route takes them; `sign_in` points, and two levels of which the second begins there.
Json rules_with(std::int64_t sign_in) {
  const Json rule = {
      {"reason", "sign-in"}, {"points", sign_in}, {"contribution", 0}, {"cap_per_day", nullptr}};
  const Json first = {{"level", 1}, {"points", 0}};
  const Json second = {{"level", 2}, {"points", sign_in}};
  return {{"rules", Json::array({rule})}, {"levels", Json::array({first, second})}};
}

// Midnight at the campus is 16:00 UTC.
TEST_F(RoutesTest, OperatorsChangeTheRulesOfTheNextDay) {
  const auto midnight = at("2026-05-20T16:00:00.000000Z");
  register_person("ada");
  const Response done =
      send(Method::Post, "/v1/points/rules/versions", "boss/operator", {}, rules_with(7));
  ASSERT_EQ(done.status, 201) << done.body;
  const Json version = Json::parse(done.body);
  EXPECT_EQ(version.at("version"), 2);
  EXPECT_EQ(version.at("from"), "2026-05-21");
  ASSERT_TRUE(topics.publish_from(store, "scoring").ok());

  const Response shown = send(Method::Get, "/v1/points/rules/versions", "boss/operator");
  ASSERT_EQ(shown.status, 200) << shown.body;
  EXPECT_EQ(shown.headers.find("ETag"), done.headers.find("ETag"));
  EXPECT_EQ(Json::parse(shown.body).at("in_force").at("version"), 1);
  EXPECT_EQ(Json::parse(shown.body).at("coming"), Json::array({version}));

  for (const auto time : {midnight, midnight - 1us}) {
    publish("accounts", "SignedIn", {{"account_id", id("ada")}}, time);
  }
  Json points = get("/v1/points/me", "ada");
  EXPECT_EQ(points.at("points"), 3 + 7);
  EXPECT_EQ(points.at("level"), 1) << "levels go by the reader's day";
  EXPECT_EQ(points.at("next_level_at"), 50);
  clock.advance(midnight - kNow);
  points = get("/v1/points/me", "ada");
  EXPECT_EQ(points.at("points"), 3 + 7);
  EXPECT_EQ(points.at("level"), 2);
  EXPECT_TRUE(points.at("next_level_at").is_null());
  const Json rules = get("/v1/points/rules", "ada");
  EXPECT_EQ(rules.at("version"), 2);
  EXPECT_EQ(rules.at("rules").size(), 1U);
  EXPECT_EQ(rules.at("levels"), rules_with(7).at("levels"));
  EXPECT_EQ(get("/v1/points/levels", "ada").at("levels").size(), 3U);
  EXPECT_EQ(get("/v1/points/rules/versions", "boss/operator").at("coming"), Json::array());
}

TEST_F(RoutesTest, RulesAreChangedFromWhatTheOperatorHasSeen) {
  const auto change = [&](const std::string& if_match, std::int64_t sign_in) {
    http::Request request;
    request.method = Method::Post;
    request.path = "/v1/points/rules/versions";
    request.headers.add("Authorization", "Bearer boss/operator");
    request.headers.add("If-Match", if_match);
    request.headers.add("Content-Type", "application/json");
    request.body = rules_with(sign_in).dump();
    return router.dispatch(request).status;
  };
  EXPECT_EQ(change("\"1\"", 7), 412);
  EXPECT_EQ(change("*", 7), 201);
  EXPECT_EQ(change("\"2\"", 8), 412);
  EXPECT_EQ(change("\"1\"", 8), 201);
  EXPECT_EQ(change("\"1\"", 9), 412);
}

TEST_F(RoutesTest, RefusesRulesThatAreNone) {
  const auto refused = [&](const Json& body) {
    const Response response =
        send(Method::Post, "/v1/points/rules/versions", "boss/operator", {}, body);
    EXPECT_EQ(response.status, 422) << response.body;
    std::string pointers;
    const Json answer = Json::parse(response.body);
    for (const Json& error : answer.at("errors")) {
      pointers += error.at("pointer").get<std::string>() + " ";
    }
    return pointers;
  };
  Json body = rules_with(7);
  body["rules"][0]["reason"] = "adjustment";
  EXPECT_EQ(refused(body), "/rules/0/reason ");
  body["rules"][0]["reason"] = "luck";
  EXPECT_EQ(refused(body), "/rules/0/reason ");
  body = rules_with(7);
  body["rules"].push_back(body["rules"][0]);
  EXPECT_EQ(refused(body), "/rules/1/reason ");
  body = rules_with(1'001);
  body["rules"][0]["contribution"] = -1;
  body["rules"][0]["cap_per_day"] = 0;
  EXPECT_EQ(refused(body), "/rules/0/points /rules/0/contribution /rules/0/cap_per_day ");
  body = rules_with(0);
  EXPECT_EQ(refused(body), "/levels/1/points ");
  body["levels"] = Json::array();
  EXPECT_EQ(refused(body), "/levels ");
  body = rules_with(7);
  body["levels"][1]["level"] = 3;
  EXPECT_EQ(refused(body), "/levels/1/level ");
  body = rules_with(7);
  body["from"] = "2026-05-20";
  EXPECT_EQ(refused(body), "/from ");
  for (const Method method : {Method::Get, Method::Post}) {
    EXPECT_EQ(send(method, "/v1/points/rules/versions", "ada", {}, rules_with(7)).status, 403);
  }
}

}  // namespace
}  // namespace tideline::scoring
