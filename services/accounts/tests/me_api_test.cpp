#include <gtest/gtest.h>

#include "accounts_app.hpp"

namespace tideline::accounts::testing {
namespace {

const json kNoVisits{{"today", 0}, {"last_30_days", 0}, {"total", 0}};

http::Response patch(AccountsApp& app, const Tokens& tokens, const json& body,
                     const std::string& if_match = "", const std::string& key = "") {
  return app.call(http::Method::Patch, "/v1/me", body,
                  {.token = tokens.access, .idempotency_key = key, .if_match = if_match});
}
http::Response close(AccountsApp& app, const Tokens& tokens, const std::string& password,
                     const std::string& key = "") {
  return app.call(http::Method::Delete, "/v1/me", {{"password", password}},
                  {.token = tokens.access, .idempotency_key = key});
}

TEST(Me, AnswersTheOwnAccount) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const auto me = app.get("/v1/me", tokens.access);
  ASSERT_EQ(me.status, 200);
  EXPECT_EQ(json::parse(me.body), (json{{"user_id", "7"},
                                        {"real_name", "Ada 7"},
                                        {"email", "7@campus.example"},
                                        {"email_verified", false},
                                        {"second_factor", false},
                                        {"recovery_codes", 0},
                                        {"sex", 0},
                                        {"department", "Mathematics"},
                                        {"bio", ""},
                                        {"avatar", nullptr},
                                        {"shows_visits", false},
                                        {"registered_at", "2026-05-01T12:00:00.250000Z"},
                                        {"visits", kNoVisits},
                                        {"points", nullptr},
                                        {"level", nullptr},
                                        {"historyscore", 0},
                                        {"currentscore", 0},
                                        {"rank", nullptr},
                                        {"rank_as_of", nullptr}}));
  EXPECT_EQ(me.headers.find("ETag"), "\"2\"");
  EXPECT_EQ(app.get("/v1/me", "").status, 401);
  EXPECT_EQ(app.get("/v1/me", tokens.access + "x").status, 401);
}

TEST(Me, ChangesWhatIsNamed) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const auto changed = patch(app, tokens, {{"department", "Physics"}, {"sex", 2}});
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.headers.find("ETag"), "\"3\"");
  const json body = json::parse(changed.body);
  EXPECT_EQ(body.at("department"), "Physics");
  EXPECT_EQ(body.at("sex"), 2);
  EXPECT_EQ(body.at("real_name"), "Ada 7");
  json shown = json::parse(app.get("/v1/me", tokens.access).body);
  for (const auto& [name, value] : body.items()) EXPECT_EQ(shown.at(name), value) << name;
  // Once more changes nothing.
  const auto again = patch(app, tokens, {{"department", "Physics"}});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.headers.find("ETag"), "\"3\"");
  EXPECT_EQ(app.count("ProfileChanged"), 1u);
}

TEST(Me, SaysWhenPointsMayBeOld) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  eventsourcing::PositionVector earned;
  earned.raise("projects", core::LogIndex(1), core::LogPosition(9));
  const auto look = [&] {
    return app.call(http::Method::Get, "/v1/me", nullptr,
                    {.token = tokens.access, .position = earned.to_token()});
  };
  EXPECT_EQ(look().headers.find("Tideline-Stale"), "true");
  app.scores_applied.advance(earned);
  EXPECT_FALSE(look().headers.find("Tideline-Stale"));
}

TEST(Me, HasABioOf500Characters) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  std::string longest;
  for (int i = 0; i < 500; ++i) longest += "潮";
  const auto changed = patch(app, tokens, {{"bio", longest}, {"shows_visits", true}});
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(json::parse(changed.body).at("bio"), longest);
  EXPECT_EQ(json::parse(changed.body).at("shows_visits"), true);
  EXPECT_EQ(patch(app, tokens, {{"bio", longest + "x"}}).status, 422);
  EXPECT_EQ(json::parse(patch(app, tokens, {{"sex", 1}}).body).at("bio"), longest);
  for (const auto& event : app.events()) {
    EXPECT_EQ(event.data.find("潮"), std::string::npos) << "in clear in " << event.type;
  }
}

TEST(Me, ChangesOnlyWhatTheClientHasSeen) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  ASSERT_EQ(patch(app, tokens, {{"sex", 1}}, "\"2\"").status, 200);
  const auto late = patch(app, tokens, {{"sex", 2}}, "\"2\"");
  EXPECT_EQ(late.status, 412);
  EXPECT_EQ(late.headers.find("ETag"), "\"3\"");
  EXPECT_EQ(patch(app, tokens, {{"sex", 2}}, "\"3\"").status, 200);
}

TEST(Me, RefusesBadChanges) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const std::vector<json> bad{{{"user_id", "8"}},
                              {{"email", "nobody"}},
                              {{"sex", 9}},
                              {{"real_name", ""}},
                              {{"sex", "male"}},
                              {{"email", 5}},
                              {{"real_name", json{}}, {"x", 1}}};
  for (const json& body : bad) EXPECT_EQ(patch(app, tokens, body).status, 422) << body;
  EXPECT_EQ(app.count("ProfileChanged"), 0u);
}

TEST(Me, RepeatsAChangeByItsKey) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const auto first = patch(app, tokens, {{"sex", 1}}, "", "k");
  const auto again = patch(app, tokens, {{"sex", 1}}, "", "k");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(patch(app, tokens, {{"sex", 2}}, "", "k").status, 422);
}

TEST(Password, ChangesAndEndsAllOtherSessions) {
  AccountsApp app;
  const Tokens old = app.enrol("7");
  const auto change = [&](const std::string& current, const std::string& next,
                          const std::string& key = "") {
    return app.post("/v1/me/password", {{"current", current}, {"new", next}},
                    {.token = old.access, .idempotency_key = key});
  };
  const auto wrong = change("wrong horse battery", "another horse battery");
  EXPECT_EQ(wrong.status, 403);
  EXPECT_EQ(problem_code(wrong), "wrong-password");
  EXPECT_EQ(change(app.kPassword, "short").status, 422);
  EXPECT_EQ(change(app.kPassword, "password1").status, 422) << "easily guessed";

  const auto changed = change(app.kPassword, "another horse battery", "k");
  ASSERT_EQ(changed.status, 200) << changed.body;
  const Tokens fresh = AccountsApp::tokens_of(json::parse(changed.body));
  EXPECT_EQ(app.refresh(old.refresh).status, 401);
  EXPECT_EQ(app.refresh(fresh.refresh).status, 200);
  EXPECT_EQ(app.sign_in("7").status, 401);
  EXPECT_EQ(app.sign_in("7", "another horse battery").status, 201);
  // An ended session that shows its token is no thief.
  EXPECT_EQ(app.count("SessionRevoked"), 0u);

  const auto again = change(app.kPassword, "another horse battery", "k");
  ASSERT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(app.refresh(AccountsApp::tokens_of(json::parse(again.body)).refresh).status, 200);
  EXPECT_EQ(app.count("PasswordSet"), 2u);
  EXPECT_EQ(app.count("PasswordChanged"), 1u);
}

TEST(Password, AttemptsAreLimitedHereToo) {
  AccountsApp app({.limits = {.per_account = {2, 1}}});
  const Tokens tokens = app.enrol("7");
  EXPECT_EQ(close(app, tokens, "wrong").status, 403);
  EXPECT_EQ(app.post("/v1/me/password", {{"current", "wrong"}, {"new", "another horse"}},
                     {.token = tokens.access})
                .status,
            403);
  EXPECT_EQ(close(app, tokens, app.kPassword).status, 429);
  EXPECT_EQ(app.sign_in("7").status, 201);
}

TEST(Password, WhoIsSignedInIsNotHeldUpByWhoGuesses) {
  AccountsApp app({.limits = {.per_account = {2, 1}, .per_account_anywhere = {2, 1}}});
  const Tokens tokens = app.enrol("7");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(app.sign_in("7", "wrong horse battery").status, 401);
  EXPECT_EQ(app.sign_in("7").status, 429);
  EXPECT_EQ(app.post("/v1/me/password", {{"current", app.kPassword}, {"new", "another horse"}},
                     {.token = tokens.access})
                .status,
            200);
}

TEST(Closing, ErasesThePersonAndKeepsTheUserId) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const core::AccountId account = app.account_ids.of("7");
  EXPECT_EQ(close(app, tokens, "wrong horse battery").status, 403);
  EXPECT_EQ(close(app, tokens, app.kPassword, "k").status, 204);
  EXPECT_EQ(close(app, tokens, app.kPassword, "k").status, 204);
  EXPECT_EQ(close(app, tokens, app.kPassword).status, 404);
  EXPECT_EQ(app.count("AccountClosed"), 1u);
  EXPECT_FALSE(app.keys.find(account).value().has_value());

  EXPECT_EQ(app.get("/v1/me", tokens.access).status, 404);
  EXPECT_EQ(patch(app, tokens, {{"sex", 1}}).status, 404);
  EXPECT_EQ(app.refresh(tokens.refresh).status, 401);
  EXPECT_EQ(app.sign_in("7").status, 401);
  const auto again = app.post("/v1/accounts", app.registration("7"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(problem_code(again), "user-id-taken");
}

}  // namespace
}  // namespace tideline::accounts::testing
