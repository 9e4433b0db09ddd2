// Recovery codes in place of an authenticator app, and of a password and a mailbox that are lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "accounts_app.hpp"
#include "crypto/tests/authenticator.hpp"

namespace tideline::accounts::testing {
namespace {

using ::testing::HasSubstr;

using Codes = std::vector<std::string>;
constexpr const char* kPath = "/v1/me/recovery-codes";
constexpr const char* kNextPassword = "another horse battery";

class RecoveryCode : public ::testing::Test {
 protected:
  http::Response draw(const std::string& password = AccountsApp::kPassword) {
    return app.call(http::Method::Put, kPath, {{"password", password}}, {.token = ada.access});
  }
  Codes drawn() {
    const auto response = draw();
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body).at("recovery_codes").get<Codes>();
  }
  // The app's secret is set; its recovery codes.
  Codes set_second_factor() {
    const auto secret =
        json::parse(app.post("/v1/me/second-factor", nullptr, {.token = ada.access}).body)
            .at("secret")
            .get<std::string>();
    const auto response = app.call(http::Method::Put, "/v1/me/second-factor",
                                   {{"password", AccountsApp::kPassword},
                                    {"secret", secret},
                                    {"code", crypto::totp_code(secret, app.clock.now())}},
                                   {.token = ada.access});
    EXPECT_EQ(response.status, 200) << response.body;
    const json body = json::parse(response.body);
    ada = AccountsApp::tokens_of(body);
    return body.at("recovery_codes").get<Codes>();
  }
  http::Response sign_in_with(const std::string& code) {
    return app.post("/v1/sessions",
                    {{"user_id", "7"}, {"password", AccountsApp::kPassword}, {"code", code}});
  }
  http::Response reset_with(const std::string& code, const std::string& source = "192.0.2.7") {
    return app.call(http::Method::Put, "/v1/password-resets",
                    {{"user_id", "7"}, {"code", code}, {"new", kNextPassword}}, {.source = source});
  }
  int left() {
    return json::parse(app.get("/v1/me", ada.access).body).at("recovery_codes").get<int>();
  }

  AccountsApp app;
  Tokens ada = app.enrol("7");
};

TEST_F(RecoveryCode, AreDrawnByWhoKnowsThePasswordAndNotKept) {
  EXPECT_EQ(left(), 0);
  EXPECT_EQ(problem_code(draw("not the password")), "wrong-password");
  const Codes codes = drawn();
  EXPECT_EQ(std::set<std::string>(codes.begin(), codes.end()).size(), 10u);
  EXPECT_EQ(left(), 10);
  for (const std::string& code : codes) {
    EXPECT_THAT(code, ::testing::MatchesRegex("([a-z2-7]{4}-){3}[a-z2-7]{4}"));
    std::string letters;
    for (const char c : code) {
      if (c != '-') letters += c;
    }
    for (const auto& event : app.events()) {
      EXPECT_EQ(event.data.find(letters), std::string::npos) << event.type;
      EXPECT_EQ(event.data.find(code), std::string::npos) << event.type;
    }
    for (const auto& answer : app.remembering.stored()) {
      EXPECT_EQ(answer.find(code), std::string::npos) << answer;
    }
  }
}

TEST_F(RecoveryCode, TakesThePlaceOfTheAppOnce) {
  const Codes codes = set_second_factor();
  EXPECT_EQ(left(), 10);
  EXPECT_EQ(problem_code(app.sign_in("7")), "second-factor-wanted");
  EXPECT_EQ(sign_in_with(codes[3]).status, 201);
  EXPECT_EQ(left(), 9);
  EXPECT_EQ(problem_code(sign_in_with(codes[3])), "recovery-code-refused");
  std::string shouted = codes[4];
  for (char& c : shouted) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  EXPECT_EQ(sign_in_with(shouted).status, 201);
  EXPECT_EQ(problem_code(sign_in_with("aaaa-aaaa-aaaa-aaaa")), "recovery-code-refused");
  EXPECT_EQ(sign_in_with("aaaa-aaaa-aaaa").status, 422);
  EXPECT_EQ(
      app.post("/v1/sessions", {{"user_id", "7"}, {"password", "wrong horse"}, {"code", codes[5]}})
          .status,
      401);
  EXPECT_EQ(left(), 8) << "a wrong password uses none";
  // Who has lost the app takes it away.
  EXPECT_EQ(
      app.call(http::Method::Delete, "/v1/me/second-factor",
               {{"password", AccountsApp::kPassword}, {"code", codes[5]}}, {.token = ada.access})
          .status,
      204);
  EXPECT_EQ(app.sign_in("7").status, 201);
}

TEST_F(RecoveryCode, ReplacesALostPasswordOnce) {
  const Codes codes = drawn();
  EXPECT_EQ(problem_code(reset_with("aaaa-aaaa-aaaa-aaaa")), "recovery-code-refused");
  EXPECT_EQ(reset_with(codes[0]).status, 204);
  EXPECT_EQ(app.sign_in("7").status, 401);
  EXPECT_EQ(app.sign_in("7", kNextPassword).status, 201);
  EXPECT_EQ(app.refresh(ada.refresh).status, 401) << "all sessions have ended";
  EXPECT_EQ(problem_code(reset_with(codes[0])), "recovery-code-refused");
  // Of somebody who is not here, and of another account, the same answer.
  for (const char* user_id : {"8", "9"}) {
    if (std::string_view(user_id) == "9") app.enrol("9");
    const auto other = app.call(http::Method::Put, "/v1/password-resets",
                                {{"user_id", user_id}, {"code", codes[1]}, {"new", kNextPassword}});
    EXPECT_EQ(problem_code(other), "recovery-code-refused") << user_id;
  }
}

TEST_F(RecoveryCode, OneIsNotEnoughForPasswordAndApp) {
  const Codes codes = set_second_factor();
  ASSERT_EQ(reset_with(codes[0]).status, 204);
  EXPECT_EQ(problem_code(app.sign_in("7", kNextPassword)), "second-factor-wanted");
  EXPECT_EQ(
      app.post("/v1/sessions", {{"user_id", "7"}, {"password", kNextPassword}, {"code", codes[1]}})
          .status,
      201);
}

TEST_F(RecoveryCode, NewOnesReplaceTheOldOnes) {
  const Codes before = drawn();
  const Codes after = drawn();
  EXPECT_EQ(problem_code(reset_with(before[0])), "recovery-code-refused");
  EXPECT_EQ(reset_with(after[0]).status, 204);
}

TEST_F(RecoveryCode, AreNotGuessed) {
  drawn();
  int looked_at = 0;
  for (int i = 0; i < 30; ++i) {
    looked_at +=
        reset_with("aaaa-aaaa-aaaa-aaa" + std::string(1, static_cast<char>('a' + i % 26))).status ==
                403
            ? 1
            : 0;
  }
  EXPECT_LE(looked_at, 10);
}

TEST_F(RecoveryCode, OfAClosedAccountAreNoGood) {
  const Codes codes = drawn();
  ASSERT_EQ(app.call(http::Method::Delete, "/v1/me", {{"password", AccountsApp::kPassword}},
                     {.token = ada.access})
                .status,
            204);
  EXPECT_EQ(problem_code(reset_with(codes[0])), "recovery-code-refused");
}

}  // namespace
}  // namespace tideline::accounts::testing
