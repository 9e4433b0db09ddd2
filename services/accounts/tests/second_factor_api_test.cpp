// Signing in with a code of an authenticator app.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accounts/api/server_commands.hpp"
#include "accounts_app.hpp"
#include "crypto/tests/authenticator.hpp"

namespace tideline::accounts::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPath = "/v1/me/second-factor";

class SecondFactor : public ::testing::Test {
 protected:
  http::Response put(const std::string& code,
                     const std::string& password = AccountsApp::kPassword) {
    return app.call(http::Method::Put, kPath,
                    {{"password", password}, {"secret", secret}, {"code", code}},
                    {.token = ada.access});
  }
  http::Response remove(const std::string& code) {
    return app.call(http::Method::Delete, kPath,
                    {{"password", AccountsApp::kPassword}, {"code", code}}, {.token = ada.access});
  }
  http::Response sign_in_with(const std::string& code,
                              const std::string& password = AccountsApp::kPassword) {
    return app.post("/v1/sessions", {{"user_id", "7"}, {"password", password}, {"code", code}});
  }
  std::string code() { return crypto::totp_code(secret, app.clock.now()); }
  std::string next_code() {
    app.clock.advance(std::chrono::seconds(30));
    return code();
  }
  void draw() {
    const auto drawn = app.post(kPath, nullptr, {.token = ada.access});
    ASSERT_EQ(drawn.status, 200) << drawn.body;
    const json body = json::parse(drawn.body);
    secret = body.at("secret");
    EXPECT_EQ(body.at("uri"), "otpauth://totp/Tideline:7?secret=" + secret + "&issuer=Tideline");
  }
  void set() {
    draw();
    const auto response = put(code());
    ASSERT_EQ(response.status, 200) << response.body;
    ada = AccountsApp::tokens_of(json::parse(response.body));
  }
  std::vector<std::string> roles_in(const Tokens& tokens) {
    return app.verifier->verify(tokens.access, app.clock.now()).value().subject.roles;
  }

  AccountsApp app{AppOptions{.operators_need_second_factor = true}};
  Tokens ada = app.enrol("7");
  std::string secret;
};

TEST_F(SecondFactor, IsSetByWhoHasPasswordAndApp) {
  const Tokens before = ada;
  draw();
  EXPECT_EQ(problem_code(put(code(), "not the password")), "wrong-password");
  EXPECT_EQ(problem_code(put("000000")), "second-factor-refused");
  EXPECT_EQ(app.sign_in("7").status, 201) << "not set yet";
  const auto response = put(code());
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(app.refresh(before.refresh).status, 401) << "sessions without it have ended";
  ada = AccountsApp::tokens_of(json::parse(response.body));
  EXPECT_EQ(app.refresh(ada.refresh).status, 200);
  EXPECT_TRUE(json::parse(app.get("/v1/me", ada.access).body).at("second_factor").get<bool>());
  EXPECT_EQ(problem_code(put(next_code())), "second-factor-set");
}

TEST_F(SecondFactor, IsAskedForWithTheRightPasswordAlone) {
  set();
  EXPECT_EQ(app.sign_in("7", "wrong horse battery").status, 401);
  EXPECT_EQ(sign_in_with(next_code(), "wrong horse battery").status, 401);
  const auto wanted = app.sign_in("7");
  EXPECT_EQ(wanted.status, 403);
  EXPECT_EQ(problem_code(wanted), "second-factor-wanted");
  EXPECT_EQ(problem_code(sign_in_with("000000")), "second-factor-refused");
  EXPECT_EQ(sign_in_with(next_code()).status, 201);
}

TEST_F(SecondFactor, TakesACodeOnce) {
  set();
  EXPECT_EQ(problem_code(sign_in_with(code())), "second-factor-refused") << "it has set the factor";
  const std::string first = next_code();
  const std::string second = next_code();
  EXPECT_EQ(sign_in_with(second).status, 201);
  EXPECT_EQ(problem_code(sign_in_with(second)), "second-factor-refused");
  EXPECT_EQ(problem_code(sign_in_with(first)), "second-factor-refused")
      << "older than one that was used";
  EXPECT_EQ(sign_in_with(next_code()).status, 201);
}

TEST_F(SecondFactor, IsNotGuessed) {
  set();
  // More sources than one source's limit.
  int looked_at = 0;
  for (int i = 0; i < 30; ++i) {
    const auto answer =
        app.post("/v1/sessions",
                 {{"user_id", "7"}, {"password", AccountsApp::kPassword}, {"code", "000000"}},
                 {.source = "198.51.100." + std::to_string(i)});
    looked_at += answer.status == 403 ? 1 : 0;
  }
  EXPECT_EQ(looked_at, 10);
  EXPECT_EQ(sign_in_with(next_code()).status, 429);
}

// A token from before it was set is signed and not expired: these two routes take it, for a
// repeated request.
TEST_F(SecondFactor, IsAskedForWhereRevokedTokensAreTaken) {
  const Tokens thief = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  set();
  const auto change = [&](const json& code) {
    return app.post(
        "/v1/me/password",
        {{"current", AccountsApp::kPassword}, {"new", "a thief's password"}, {"code", code}},
        {.token = thief.access});
  };
  EXPECT_EQ(problem_code(change(nullptr)), "second-factor-wanted");
  EXPECT_EQ(problem_code(change("000000")), "second-factor-refused");
  const auto closed = app.call(http::Method::Delete, "/v1/me",
                               {{"password", AccountsApp::kPassword}}, {.token = thief.access});
  EXPECT_EQ(problem_code(closed), "second-factor-wanted");
  EXPECT_EQ(change(next_code()).status, 200) << "who has the app is the owner";
}

TEST_F(SecondFactor, IsRemovedWithACode) {
  EXPECT_EQ(problem_code(remove("123456")), "no-second-factor");
  set();
  EXPECT_EQ(problem_code(remove("123456")), "second-factor-refused");
  EXPECT_EQ(remove(next_code()).status, 204);
  EXPECT_EQ(app.refresh(ada.refresh).status, 401) << "the app may be a thief's";
  EXPECT_EQ(app.sign_in("7").status, 201);
}

TEST_F(SecondFactor, IsRemovedOnTheServerForWhoHasLostIt) {
  const auto forget = [&] {
    return forget_second_factor(app.store, app.clock.now(), app.account_ids.of("7"));
  };
  EXPECT_EQ(forget().error().code, core::ErrorCode::NotFound);
  set();
  EXPECT_TRUE(forget().ok());
  EXPECT_EQ(app.sign_in("7").status, 201);
}

// Otherwise whoever has the password first would set it and be an operator.
TEST_F(SecondFactor, ComesBeforeTheRole) {
  const auto give = [&] {
    return change_role(app.store, app.clock.now(), app.account_ids.of("7"), AccountRole::Operator,
                       RoleChange::Give, true);
  };
  const auto refused = give();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, core::ErrorCode::InvalidInput);
  set();
  EXPECT_TRUE(give().ok());
  ada = AccountsApp::tokens_of(json::parse(app.refresh(ada.refresh).body));
  EXPECT_THAT(roles_in(ada), Contains("operator"));
  const Tokens with_code = AccountsApp::tokens_of(json::parse(sign_in_with(next_code()).body));
  EXPECT_THAT(roles_in(with_code), Contains("operator"));
}

TEST_F(SecondFactor, TakesTheRolesWithIt) {
  const auto give = [&](AccountRole role) {
    return change_role(app.store, app.clock.now(), app.account_ids.of("7"), role, RoleChange::Give,
                       true);
  };
  EXPECT_FALSE(give(AccountRole::Moderator).ok()) << "without a second factor";
  set();
  ASSERT_TRUE(give(AccountRole::Operator).ok());
  ASSERT_TRUE(give(AccountRole::Moderator).ok());
  ada = AccountsApp::tokens_of(json::parse(app.refresh(ada.refresh).body));
  EXPECT_THAT(roles_in(ada), ElementsAre("user", "operator", "moderator"));
  ASSERT_EQ(remove(next_code()).status, 204);
  ada = AccountsApp::tokens_of(json::parse(app.sign_in("7").body));
  app.clock.advance(std::chrono::seconds(30));
  set();
  EXPECT_THAT(roles_in(ada), ElementsAre("user"));
}

TEST_F(SecondFactor, IsToldToTheOwner) {
  app.post("/v1/me/email-verification", {{"password", AccountsApp::kPassword}},
           {.token = ada.access});
  const auto verified = app.call(http::Method::Put, "/v1/me/email-verification",
                                 {{"code", app.mailed_code()}}, {.token = ada.access});
  ASSERT_EQ(verified.status, 204);
  set();
  EXPECT_THAT(app.sent_mails().back().subject, HasSubstr("A second factor was set"));
  remove(next_code());
  EXPECT_THAT(app.sent_mails().back().subject, HasSubstr("removed"));
}

TEST_F(SecondFactor, LiesSealedInItsEvent) {
  set();
  for (const auto& event : app.events())
    EXPECT_THAT(event.data, Not(HasSubstr(secret))) << event.type;
  EXPECT_EQ(app.count("SecondFactorSet"), 1u);
}

TEST_F(SecondFactor, TakesNoSecretThatIsNone) {
  secret = std::string(32, '1');
  EXPECT_EQ(put("123456").status, 422);
  EXPECT_EQ(sign_in_with("12345").status, 422);
  EXPECT_EQ(sign_in_with("12345a").status, 422);
}

}  // namespace
}  // namespace tideline::accounts::testing
