#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <regex>
#include <thread>

#include "accounts/api/server_commands.hpp"
#include "accounts/domain/session.hpp"
#include "accounts/stream_keys.hpp"
#include "accounts_app.hpp"

namespace tideline::accounts::testing {
namespace {

TEST(SignIn, OpensASessionAndCountsOncePerCampusDay) {
  AccountsApp app;
  app.enrol("7");
  const auto first = app.sign_in("7");
  ASSERT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(app.get("/v1/me", AccountsApp::tokens_of(json::parse(first.body)).access).status, 200);
  ASSERT_EQ(app.sign_in("7").status, 201);
  EXPECT_EQ(app.count("SignedIn"), 1u);
  app.clock.advance(std::chrono::hours(24));
  ASSERT_EQ(app.sign_in("7").status, 201);
  EXPECT_EQ(app.count("SignedIn"), 2u);
  EXPECT_EQ(app.count("SessionOpened"), 4u);
}

TEST(SignIn, CountsOnceForTwoAtOnce) {
  AccountsApp app;
  app.enrol("7");
  std::latch together(4);
  std::vector<std::thread> devices;
  std::atomic<int> signed_in{0};
  for (int i = 0; i < 4; ++i) {
    devices.emplace_back([&] {
      together.arrive_and_wait();
      if (app.sign_in("7").status == 201) ++signed_in;
    });
  }
  for (auto& device : devices) device.join();
  EXPECT_EQ(signed_in, 4);
  EXPECT_EQ(app.count("SignedIn"), 1u);
}

TEST(SignIn, AnswersWrongAndUnknownAlike) {
  AccountsApp app;
  app.enrol("7");
  const auto wrong = app.sign_in("7", "wrong horse battery");
  const auto unknown = app.sign_in("8", "wrong horse battery");
  const auto no_user_id = app.sign_in("no such user_id", "wrong horse battery");
  for (const auto& response : {wrong, unknown, no_user_id}) {
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.body, wrong.body);
    EXPECT_TRUE(response.headers.find("WWW-Authenticate"));
  }
  EXPECT_EQ(app.count("SignedIn"), 0u);
}

TEST(SignIn, HashesForWhoIsNotThere) {
  AccountsApp app({.hashing = {.memory_bytes = std::size_t{32} << 20, .passes = 3}});
  app.enrol("7");
  const auto seconds_of = [&](const std::string& user_id) {
    double shortest = 1e9;  // of some: a busy machine only ever adds to it
    for (int i = 0; i < 4; ++i) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(app.sign_in(user_id, "wrong horse battery").status, 401);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      shortest = std::min(shortest, taken.count());
    }
    return shortest;
  };
  // An answer without a hash would be a hundred times faster than one with it.
  EXPECT_GT(seconds_of("8"), seconds_of("7") / 10);
}

TEST(SignIn, IsLimitedPerAccount) {
  AccountsApp app({.limits = {.per_account = {3, 3}}});
  app.enrol("7");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(app.sign_in("7", "wrong horse battery").status, 401);
  const auto limited = app.sign_in("7");
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.find("Retry-After"), "20");
  EXPECT_EQ(limited.headers.find("RateLimit"), "\"requests\";r=0;t=20");
  EXPECT_EQ(app.sign_in("7", app.kPassword, {.source = "198.51.100.1"}).status, 201);
  app.clock.advance(std::chrono::seconds(20));
  EXPECT_EQ(app.sign_in("7").status, 201);
  EXPECT_EQ(app.attempts_seen(),
            (std::vector<std::string>{"refused", "refused", "refused", "limited", "ok", "ok"}));
}

TEST(SignIn, IsLimitedPerSource) {
  AccountsApp app({.limits = {.per_source = {3, 3}}});
  app.enrol("7");
  for (const char* guess : {"1", "2", "3"}) EXPECT_EQ(app.sign_in(guess, "p").status, 401);
  EXPECT_EQ(app.sign_in("7").status, 429);
  EXPECT_EQ(app.sign_in("7", app.kPassword, {.source = "198.51.100.1"}).status, 201);
}

TEST(SignIn, IsNotLimitedForACrowdThatKnowsItsPasswords) {
  AccountsApp app({.limits = {.per_account = {2, 1}, .per_source = {2, 1}}});
  app.enrol("7");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(app.sign_in("7").status, 201);
}

TEST(Refresh, GivesANewTokenForTheLiveOne) {
  AccountsApp app;
  Tokens tokens = app.enrol("7");
  for (int i = 0; i < 5; ++i) {
    app.clock.advance(std::chrono::minutes(20));
    EXPECT_EQ(app.get("/v1/me", tokens.access).status, 401);
    const auto response = app.refresh(tokens.refresh);
    ASSERT_EQ(response.status, 200) << response.body;
    const auto next = AccountsApp::tokens_of(json::parse(response.body));
    EXPECT_NE(next.refresh, tokens.refresh);
    EXPECT_EQ(app.get("/v1/me", next.access).status, 200);
    tokens = next;
  }
}

TEST(Refresh, CountsAsTheSignInOfItsDay) {
  AccountsApp app;
  Tokens tokens = app.enrol("7");
  for (const std::size_t days : {1u, 1u, 2u}) {
    if (days == 2) app.clock.advance(std::chrono::hours(24));
    tokens = AccountsApp::tokens_of(json::parse(app.refresh(tokens.refresh).body));
    EXPECT_EQ(app.count("SignedIn"), days);
  }
}

TEST(Refresh, OfAnOldTokenEndsTheFamily) {
  AccountsApp app;
  const Tokens first = app.enrol("7");
  const auto second = AccountsApp::tokens_of(json::parse(app.refresh(first.refresh).body));
  const auto reuse = app.refresh(first.refresh);
  EXPECT_EQ(reuse.status, 401);
  EXPECT_EQ(problem_code(reuse), "refresh-token-refused");
  EXPECT_TRUE(reuse.headers.find("WWW-Authenticate"));
  EXPECT_EQ(app.refresh(second.refresh).status, 401);
  EXPECT_EQ(app.count("SessionRevoked"), 1u);
  EXPECT_EQ(app.count("SessionEnded"), 1u);
  // Another session of the same person goes on.
  const auto other = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  EXPECT_EQ(app.refresh(other.refresh).status, 200);
}

TEST(Refresh, AtOnceWithOneTokenCountsAsReuse) {
  AccountsApp app;
  const Tokens first = app.enrol("7");
  std::latch together(2);
  http::Response answers[2];
  const auto enter = [&](int who) {
    together.arrive_and_wait();
    answers[who] = app.refresh(first.refresh);
  };
  std::thread other([&] { enter(1); });
  enter(0);
  other.join();
  EXPECT_EQ(answers[0].status + answers[1].status, 200 + 401);
  const auto& won = answers[0].status == 200 ? answers[0] : answers[1];
  EXPECT_EQ(app.refresh(AccountsApp::tokens_of(json::parse(won.body)).refresh).status, 401);
}

TEST(Refresh, RefusesWhatNobodyGaveOutAndEndsNothing) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const std::string id = tokens.refresh.substr(0, 26);
  const std::string made_up = id + "." + std::string(86, 'A');
  for (const std::string& token : {made_up, std::string("x"), id, id + ".", std::string(113, '.'),
                                   std::string(26, '0') + "." + std::string(86, 'A')}) {
    const auto response = app.refresh(token);
    EXPECT_EQ(response.status, 401) << token;
    EXPECT_EQ(problem_code(response), "refresh-token-refused");
  }
  EXPECT_EQ(app.count("SessionRevoked"), 0u);
  EXPECT_EQ(app.refresh(tokens.refresh).status, 200);
  EXPECT_EQ(app.refresh("").status, 422);
  EXPECT_EQ(app.refresh(std::string(1000, 'a')).status, 422);
}

TEST(Refresh, EndsAfterThirtyDays) {
  AccountsApp app;
  Tokens tokens = app.enrol("7");
  app.clock.advance(std::chrono::days(29));
  tokens = AccountsApp::tokens_of(json::parse(app.refresh(tokens.refresh).body));
  app.clock.advance(std::chrono::days(1));
  EXPECT_EQ(app.refresh(tokens.refresh).status, 401);
}

TEST(SignOut, EndsTheSession) {
  AccountsApp app;
  const Tokens tokens = app.enrol("7");
  const Tokens other = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  const auto sign_out = [&](const std::string& refresh_token) {
    return app.post("/v1/sessions/sign-out", {{"refresh_token", refresh_token}},
                    {.token = tokens.access});
  };
  EXPECT_EQ(sign_out(tokens.refresh).status, 204);
  EXPECT_EQ(sign_out(tokens.refresh).status, 204);
  EXPECT_EQ(app.refresh(tokens.refresh).status, 401);
  EXPECT_EQ(app.refresh(other.refresh).status, 200);
}

TEST(SignOut, IsForOnesOwnSessionsAlone) {
  AccountsApp app;
  const Tokens ada = app.enrol("7");
  const Tokens bob = app.enrol("8");
  const auto response =
      app.post("/v1/sessions/sign-out", {{"refresh_token", ada.refresh}}, {.token = bob.access});
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(app.refresh(ada.refresh).status, 200);
  EXPECT_EQ(app.post("/v1/sessions/sign-out", {{"refresh_token", ada.refresh}}).status, 401);
}

http::Response sign_in_from(AccountsApp& app, const std::string& client) {
  http::Request request;
  request.method = http::Method::Post;
  request.path = "/v1/sessions";
  request.headers.set("Content-Type", "application/json");
  request.headers.set("User-Agent", client);
  request.body = json{{"user_id", "7"}, {"password", AccountsApp::kPassword}}.dump();
  return app.router->dispatch(request);
}
json sessions_of(AccountsApp& app, const Tokens& who) {
  return json::parse(app.get("/v1/sessions", who.access).body).at("items");
}
http::Response end_session(AccountsApp& app, const Tokens& who, const std::string& id) {
  return app.call(http::Method::Delete, "/v1/sessions/" + id, nullptr, {.token = who.access});
}

TEST(Sessions, AreListedNewestFirst) {
  AccountsApp app;
  const Tokens first = app.enrol("7");
  app.enrol("8");
  app.clock.advance(std::chrono::minutes(1));
  const Tokens second = AccountsApp::tokens_of(json::parse(sign_in_from(app, "Firefox").body));
  const json items = sessions_of(app, second);
  ASSERT_EQ(items.size(), 2u) << items;
  EXPECT_EQ(items[0].at("client"), "Firefox");
  EXPECT_EQ(items[0].at("current"), true);
  EXPECT_EQ(items[0].at("opened_at"), "2026-05-01T12:01:00.250000Z");
  EXPECT_EQ(items[1].at("client"), "");
  EXPECT_EQ(items[1].at("current"), false);
  EXPECT_EQ(sessions_of(app, first)[1].at("current"), true);
  for (const auto& event : app.events()) EXPECT_EQ(event.data.find("Firefox"), std::string::npos);
}

TEST(Sessions, EndOneByOne) {
  AccountsApp app;
  const Tokens mine = app.enrol("7");
  const Tokens lost = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  const Tokens stranger = app.enrol("8");
  const std::string id = sessions_of(app, lost)[0].at("id");
  EXPECT_EQ(end_session(app, stranger, id).status, 404);
  EXPECT_EQ(end_session(app, mine, "no-id").status, 404);
  EXPECT_EQ(app.refresh(lost.refresh).status, 200);
  EXPECT_EQ(end_session(app, mine, id).status, 204);
  EXPECT_EQ(end_session(app, mine, id).status, 204) << "done already";
  EXPECT_EQ(app.count("SessionEnded"), 1u) << "tells every service";
  EXPECT_EQ(app.refresh(lost.refresh).status, 401);
  EXPECT_EQ(sessions_of(app, mine).size(), 1u);
}

TEST(Sessions, AreNotListedOnceTheyHaveEnded) {
  AccountsApp app;
  const Tokens mine = app.enrol("7");
  const Tokens other = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  app.post("/v1/sessions/sign-out", {{"refresh_token", other.refresh}}, {.token = other.access});
  EXPECT_EQ(sessions_of(app, mine).size(), 1u);
  app.sign_in("7");
  const auto changed = app.post(
      "/v1/me/password", {{"current", AccountsApp::kPassword}, {"new", "another long secret"}},
      {.token = mine.access});
  EXPECT_EQ(sessions_of(app, AccountsApp::tokens_of(json::parse(changed.body))).size(), 1u);
}

TEST(Sessions, AreFiftyAtMost) {
  AccountsApp app({.limits = {.per_account = {1000, 1000}}});
  const Tokens first = app.enrol("7");
  Tokens last = first;
  for (std::size_t i = 1; i < SessionList::kSessionsMax; ++i) {
    last = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  }
  const Tokens refreshed = AccountsApp::tokens_of(json::parse(app.refresh(first.refresh).body));
  last = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  EXPECT_EQ(sessions_of(app, last).size(), SessionList::kSessionsMax);
  EXPECT_EQ(app.refresh(refreshed.refresh).status, 401) << "the first has made room";
  EXPECT_EQ(app.count("SessionEnded"), 1u);
}

TEST(Tokens, CarryTheRoleOfModerators) {
  AccountsApp app;
  const auto roles_in = [&](const http::Response& answer) {
    const Tokens tokens = AccountsApp::tokens_of(json::parse(answer.body));
    return app.verifier->verify(tokens.access, app.clock.now()).value().subject.roles;
  };
  const auto change = [&](AccountRole role, RoleChange wanted) {
    return change_role(app.store, app.clock.now(), app.account_ids.of("7"), role, wanted, false);
  };
  const Tokens first = app.enrol("7");
  ASSERT_TRUE(change(AccountRole::Moderator, RoleChange::Give).ok());
  EXPECT_EQ(roles_in(app.sign_in("7")), (std::vector<std::string>{"user", "moderator"}));
  ASSERT_TRUE(change(AccountRole::Operator, RoleChange::Give).ok());
  EXPECT_EQ(roles_in(app.sign_in("7")),
            (std::vector<std::string>{"user", "operator", "moderator"}));
  ASSERT_TRUE(change(AccountRole::Moderator, RoleChange::Take).ok());
  EXPECT_EQ(app.refresh(first.refresh).status, 401) << "its tokens say a role that is taken";
  EXPECT_EQ(roles_in(app.sign_in("7")), (std::vector<std::string>{"user", "operator"}));
}

TEST(Tokens, CarryTheRoleOfOperators) {
  AccountsApp app;
  const auto roles_in = [&](const std::string& access) {
    return app.verifier->verify(access, app.clock.now()).value().subject.roles;
  };
  const auto change = [&](const std::string& user_id, RoleChange wanted) {
    return change_role(app.store, app.clock.now(), app.account_ids.of(user_id),
                       AccountRole::Operator, wanted, false);
  };
  const std::vector<std::string> user{"user"};
  const std::vector<std::string> both{"user", "operator"};
  const Tokens first = app.enrol("7");
  EXPECT_EQ(roles_in(first.access), user);

  ASSERT_TRUE(change("7", RoleChange::Give).ok());
  const Tokens refreshed = AccountsApp::tokens_of(json::parse(app.refresh(first.refresh).body));
  EXPECT_EQ(roles_in(refreshed.access), both);
  EXPECT_EQ(roles_in(AccountsApp::tokens_of(json::parse(app.sign_in("7").body)).access), both);

  const auto changed = app.post(
      "/v1/me/password", {{"current", AccountsApp::kPassword}, {"new", "another long secret"}},
      {.token = refreshed.access});
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(roles_in(AccountsApp::tokens_of(json::parse(changed.body)).access), both);

  ASSERT_TRUE(change("7", RoleChange::Take).ok());
  EXPECT_EQ(app.refresh(refreshed.refresh).status, 401);
  EXPECT_EQ(
      roles_in(
          AccountsApp::tokens_of(json::parse(app.sign_in("7", "another long secret").body)).access),
      user);
  EXPECT_EQ(app.count("PasswordChanged"), 2u) << "tells every service that the tokens have ended";

  EXPECT_EQ(change("nobody", RoleChange::Give).error().code, core::ErrorCode::NotFound);
}

TEST(Tokens, AreVerifiedWithThePublishedKeys) {
  AccountsApp app;
  const auto response = app.call(http::Method::Get, "/.well-known/jwks.json");
  ASSERT_EQ(response.status, 200);
  const json keys = json::parse(response.body).at("keys");
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].at("kid"), "k1");
  EXPECT_EQ(keys[0].at("alg"), "ES256");
  EXPECT_FALSE(keys[0].contains("d"));
}

// Everything that leaves a trace: all data of all events, and what is stored with a key.
TEST(Secrets, AreInNoEventAndNoStoredAnswer) {
  AccountsApp app;
  const auto kept = app.post("/v1/accounts", app.registration("7"), {.idempotency_key = "k"});
  std::vector<std::string> secrets{AccountsApp::kPassword, "another horse battery"};
  const auto remember = [&](const json& body) {
    const Tokens tokens = AccountsApp::tokens_of(body);
    secrets.push_back(tokens.access);
    secrets.push_back(tokens.refresh.substr(27, 43));
    secrets.push_back(tokens.refresh.substr(70, 43));
    return tokens;
  };
  Tokens tokens = remember(json::parse(kept.body).at("session"));
  remember(json::parse(app.sign_in("7").body));
  tokens = remember(json::parse(app.refresh(tokens.refresh).body));
  const auto changed =
      app.post("/v1/me/password", {{"current", app.kPassword}, {"new", "another horse battery"}},
               {.token = tokens.access, .idempotency_key = "p"});
  ASSERT_EQ(changed.status, 200) << changed.body;
  remember(json::parse(changed.body));

  std::vector<std::string> traces;
  for (const auto& event : app.events()) traces.push_back(event.data + event.stream.value());
  const auto stored = app.remembering.stored();
  ASSERT_GE(stored.size(), 4u);
  traces.insert(traces.end(), stored.begin(), stored.end());
  ASSERT_GE(traces.size(), 8u);
  for (const std::string& trace : traces) {
    for (const std::string& secret : secrets) {
      EXPECT_EQ(trace.find(secret), std::string::npos) << trace;
    }
  }
  // Names and addresses are sealed as well.
  for (const std::string& trace : traces) {
    EXPECT_EQ(trace.find("campus.example"), std::string::npos);
    EXPECT_EQ(trace.find("Ada 7"), std::string::npos);
    // Also tokens that were drawn and told to nobody.
    static const std::regex kToken("[0-9a-v]{26}\\.[A-Za-z0-9_-]{43}|eyJhbGciOi");
    EXPECT_FALSE(std::regex_search(trace, kToken)) << trace;
  }
}

}  // namespace
}  // namespace tideline::accounts::testing
