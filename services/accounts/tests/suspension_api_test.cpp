// A suspended account: who has shown the password is told until when and why, and nobody comes in.

#include <gtest/gtest.h>

#include "accounts/api/server_commands.hpp"
#include "accounts_app.hpp"
#include "crypto/tests/authenticator.hpp"

namespace tideline::accounts::testing {
namespace {

constexpr std::chrono::hours kWeek{7 * 24};
constexpr const char* kReason = "Advertisements, after a warning. Appeals: dean@campus.example";
constexpr const char* kNext = "another horse battery";

class Suspension : public ::testing::Test {
 protected:
  core::Status suspend_ada() {
    return suspend(app.store, app.cipher, app.clock.now(), app.account_ids.of("7"), kNoon + kWeek,
                   kReason);
  }
  void expect_refused(const http::Response& response) {
    EXPECT_EQ(response.status, 403) << response.body;
    EXPECT_EQ(problem_code(response), "account-suspended");
    const json body = json::parse(response.body);
    EXPECT_EQ(body.value("until", ""), core::format_iso8601(kNoon + kWeek));
    EXPECT_EQ(body.value("detail", ""), kReason);
  }

  AccountsApp app;
  Tokens ada = app.enrol("7");
};

TEST_F(Suspension, EndsSessionsAndRefusesOthersUntilItIsOver) {
  ASSERT_TRUE(suspend_ada().ok());
  EXPECT_EQ(app.count("PasswordChanged"), 1u) << "by it all services know that tokens have ended";
  EXPECT_EQ(app.refresh(ada.refresh).status, 401);
  const std::size_t opened = app.count("SessionOpened");
  expect_refused(app.sign_in("7"));
  EXPECT_EQ(app.sign_in("7", "wrong horse battery").status, 401)
      << "told to who knows the password";
  EXPECT_EQ(app.count("SessionOpened"), opened);
  app.clock.advance(kWeek - std::chrono::microseconds(1));
  expect_refused(app.sign_in("7"));
  app.clock.advance(std::chrono::microseconds(1));
  EXPECT_EQ(app.sign_in("7").status, 201);
}

// Its token was revoked, and this route takes revoked ones.
TEST_F(Suspension, IsNotLeftByAnotherPassword) {
  ASSERT_TRUE(suspend_ada().ok());
  expect_refused(app.post("/v1/me/password", {{"current", app.kPassword}, {"new", kNext}},
                          {.token = ada.access}));
  expect_refused(app.sign_in("7"));
}

// The token may be looked at before the service knows that it has ended.
TEST_F(Suspension, IsNotLeftByASecondFactor) {
  const auto drawn = app.post("/v1/me/second-factor", nullptr, {.token = ada.access});
  const std::string secret = json::parse(drawn.body).at("secret");
  ASSERT_TRUE(suspend_ada().ok());
  const json wanted{{"password", app.kPassword},
                    {"secret", secret},
                    {"code", crypto::totp_code(secret, app.clock.now())}};
  expect_refused(
      app.call(http::Method::Put, "/v1/me/second-factor", wanted, {.token = ada.access}));
}

// A repeated registration answers with a session, too.
TEST_F(Suspension, IsNotLeftByRegisteringAgain) {
  const Extra keyed{.idempotency_key = "k-1"};
  ASSERT_EQ(app.post("/v1/accounts", AccountsApp::registration("8"), keyed).status, 201);
  ASSERT_TRUE(suspend(app.store, app.cipher, app.clock.now(), app.account_ids.of("8"),
                      kNoon + kWeek, kReason)
                  .ok());
  expect_refused(app.post("/v1/accounts", AccountsApp::registration("8"), keyed));
}

TEST_F(Suspension, IsLifted) {
  const auto lift = [&] {
    return lift_suspension(app.store, app.clock.now(), app.account_ids.of("7"));
  };
  ASSERT_TRUE(suspend_ada().ok());
  EXPECT_TRUE(lift().ok());
  EXPECT_EQ(app.sign_in("7").status, 201);
  EXPECT_TRUE(lift().ok()) << "done already counts as done";
  EXPECT_EQ(app.count("SuspensionLifted"), 1u);
}

TEST_F(Suspension, IsOfAnAccountThatIsThere) {
  const auto nobody = suspend(app.store, app.cipher, app.clock.now(), app.account_ids.of("9"),
                              kNoon + kWeek, kReason);
  ASSERT_FALSE(nobody.ok());
  EXPECT_EQ(nobody.error().code, core::ErrorCode::NotFound);
}

TEST_F(Suspension, TellsItsReasonToNobodyElse) {
  ASSERT_TRUE(suspend_ada().ok());
  for (const auto& event : app.events()) {
    EXPECT_EQ(event.data.find("Advertisements"), std::string::npos) << event.type;
  }
}

}  // namespace
}  // namespace tideline::accounts::testing
