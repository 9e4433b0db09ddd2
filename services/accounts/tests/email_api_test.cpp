// Signing up with a code, showing that an address is one's own, and setting a forgotten password.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accounts/api/server_commands.hpp"
#include "accounts_app.hpp"

namespace tideline::accounts::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNewPassword = "another long secret";

http::Response ask_for_code(AccountsApp& app, const std::string& user_id,
                            const std::string& email) {
  return app.post("/v1/sign-up-codes", {{"user_id", user_id}, {"email", email}});
}
http::Response register_with(AccountsApp& app, const std::string& user_id, const std::string& code,
                             const std::string& email = "") {
  json body = AccountsApp::registration(user_id);
  body["sign_up_code"] = code;
  if (!email.empty()) body["email"] = email;
  return app.post("/v1/accounts", body);
}
void put_on_the_list(AccountsApp& app, const std::string& user_id, const std::string& email) {
  const auto done = enrol(app.store, app.clock.now(), app.account_ids.of(user_id),
                          address_of(app.account_ids, email));
  ASSERT_TRUE(done.ok());
}
http::Response ask_for_verification(AccountsApp& app, const Tokens& who,
                                    const std::string& password = AccountsApp::kPassword) {
  return app.post("/v1/me/email-verification", {{"password", password}}, {.token = who.access});
}
http::Response verify(AccountsApp& app, const Tokens& who, const std::string& code) {
  return app.call(http::Method::Put, "/v1/me/email-verification", {{"code", code}},
                  {.token = who.access});
}
bool is_verified(AccountsApp& app, const Tokens& who) {
  return json::parse(app.get("/v1/me", who.access).body).at("email_verified").get<bool>();
}
// An account that has shown its address.
Tokens enrol_verified(AccountsApp& app, const std::string& user_id) {
  const Tokens tokens = app.enrol(user_id);
  EXPECT_EQ(ask_for_verification(app, tokens).status, 202);
  EXPECT_EQ(verify(app, tokens, app.mailed_code()).status, 204);
  return tokens;
}
http::Response ask_for_reset(AccountsApp& app, const std::string& user_id) {
  return app.post("/v1/password-resets", {{"user_id", user_id}});
}
http::Response reset(AccountsApp& app, const std::string& user_id, const std::string& code,
                     const std::string& password = kNewPassword) {
  return app.call(http::Method::Put, "/v1/password-resets",
                  {{"user_id", user_id}, {"code", code}, {"new", password}});
}

AppOptions closed_to(std::vector<std::string> domains) {
  AppOptions options;
  options.sign_up = {true, std::move(domains)};
  return options;
}

TEST(SignUp, IsOpenUnlessItIsClosed) {
  AccountsApp open;
  EXPECT_EQ(open.post("/v1/accounts", AccountsApp::registration("7")).status, 201);
  AccountsApp closed(closed_to({}));
  const auto refused = closed.post("/v1/accounts", AccountsApp::registration("7"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(problem_code(refused), "sign-up-code-wanted");
  EXPECT_EQ(problem_code(register_with(closed, "7", "made-up")), "code-refused");
}

TEST(SignUp, TakesACodeThatWentToAnAddressOfTheDomain) {
  AccountsApp app(closed_to({"campus.example"}));
  ASSERT_EQ(ask_for_code(app, "7", "7@Campus.Example").status, 202);
  const auto registered = register_with(app, "7", app.mailed_code(), "7@campus.example");
  ASSERT_EQ(registered.status, 201) << registered.body;
  const json body = json::parse(registered.body);
  EXPECT_TRUE(body.at("email_verified").get<bool>());
  EXPECT_TRUE(is_verified(app, AccountsApp::tokens_of(body.at("session"))));
}

// Neither another name nor another address goes with it.
TEST(SignUp, CodesAreForOneNameAndOneAddress) {
  AccountsApp app(closed_to({"campus.example"}));
  ask_for_code(app, "7", "7@campus.example");
  const std::string code = app.mailed_code();
  EXPECT_EQ(problem_code(register_with(app, "8", code, "7@campus.example")), "code-refused");
  EXPECT_EQ(problem_code(register_with(app, "7", code, "8@campus.example")), "code-refused");
  app.clock.advance(std::chrono::hours(25));
  EXPECT_EQ(problem_code(register_with(app, "7", code, "7@campus.example")), "code-refused");
}

TEST(SignUp, SendsNothingToAnotherDomainAndSaysSoToNobody) {
  AccountsApp app(closed_to({"campus.example"}));
  const auto one = ask_for_code(app, "7", "7@elsewhere.example");
  const auto other = ask_for_code(app, "7", "7@campus.example");
  EXPECT_EQ(one.status, 202);
  EXPECT_EQ(one.body, other.body);
  EXPECT_EQ(app.sent_mails().size(), 1u);
}

// Nobody takes another's student number, also where sign-up is open.
TEST(SignUp, AListedNameIsForWhoReadsItsAddress) {
  AccountsApp app;
  put_on_the_list(app, "7", "ada@campus.example");
  EXPECT_EQ(problem_code(app.post("/v1/accounts", AccountsApp::registration("7"))),
            "sign-up-code-wanted");
  ask_for_code(app, "7", "mallory@campus.example");
  EXPECT_TRUE(app.sent_mails().empty());
  ask_for_code(app, "7", "ada@campus.example");
  EXPECT_EQ(register_with(app, "7", app.mailed_code(), "ada@campus.example").status, 201);
}

TEST(SignUp, TakesAnInvitation) {
  AccountsApp app(closed_to({}));
  const auto code = app.emails.invitation(app.account_ids.of("7"), std::chrono::hours(24));
  EXPECT_EQ(problem_code(register_with(app, "8", code)), "code-refused");
  const auto registered = register_with(app, "7", code);
  ASSERT_EQ(registered.status, 201) << registered.body;
  EXPECT_FALSE(json::parse(registered.body).at("email_verified").get<bool>())
      << "no mail went to it";
}

TEST(SignUp, MailsAnAddressThreeTimesAndThenAgainAfterAWhile) {
  AccountsApp app;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask_for_code(app, "7", "7@campus.example").status, 202);
  EXPECT_EQ(app.sent_mails().size(), 3u);
  app.clock.advance(std::chrono::minutes(21));
  ask_for_code(app, "7", "7@campus.example");
  EXPECT_EQ(app.sent_mails().size(), 4u);
}

// Whoever names another's address, under however many names, holds up neither a reset nor a
// verification for long.
TEST(SignUp, StrangersDoNotUseUpWhatTheOwnerNeeds) {
  AccountsApp app;
  enrol_verified(app, "7");
  const auto before = app.sent_mails().size();
  for (int i = 0; i < 30; ++i) ask_for_code(app, "free-" + std::to_string(i), "7@campus.example");
  EXPECT_LE(app.sent_mails().size() - before, 10u);
  ask_for_reset(app, "7");
  EXPECT_THAT(app.sent_mails().back().subject, HasSubstr("Another password"));
}

TEST(SignUp, ASourceAsksForSomeMailsAndNoMore) {
  AccountsApp app({.limits = {.mails = {2, 1}}});
  for (const int status : {202, 202, 429}) {
    EXPECT_EQ(ask_for_code(app, "7", "7@campus.example").status, status);
  }
  EXPECT_EQ(ask_for_reset(app, "7").status, 429);
}

TEST(SignUp, DomainsHoldForMailsWhereItIsOpen) {
  AppOptions options;
  options.sign_up = {false, {"campus.example"}};
  AccountsApp app(options);
  ask_for_code(app, "7", "7@elsewhere.example");
  EXPECT_TRUE(app.sent_mails().empty());
}

TEST(Verification, WantsThePasswordAndTheCode) {
  AccountsApp app;
  const Tokens ada = app.enrol("7");
  EXPECT_FALSE(is_verified(app, ada));
  EXPECT_EQ(ask_for_verification(app, ada, "not the password").status, 403);
  EXPECT_TRUE(app.sent_mails().empty());
  ASSERT_EQ(ask_for_verification(app, ada).status, 202);
  EXPECT_EQ(app.sent_mails().back().to, "7@campus.example");
  EXPECT_EQ(problem_code(verify(app, ada, "made-up")), "code-refused");
  EXPECT_EQ(verify(app, ada, app.mailed_code()).status, 204);
  EXPECT_TRUE(is_verified(app, ada));
}

TEST(Verification, IsOfTheAddressAsItWas) {
  AccountsApp app;
  const Tokens ada = app.enrol("7");
  ask_for_verification(app, ada);
  const std::string code = app.mailed_code();
  const auto moved = app.call(http::Method::Patch, "/v1/me", {{"email", "other@campus.example"}},
                              {.token = ada.access});
  ASSERT_EQ(moved.status, 200);
  EXPECT_EQ(problem_code(verify(app, ada, code)), "code-refused");
}

TEST(Verification, AnAddressIsOneAccountsUntilItLeaves) {
  AccountsApp app;
  const Tokens ada = enrol_verified(app, "7");
  const Tokens ben = app.enrol("8");
  const auto take = [&] {
    app.call(http::Method::Patch, "/v1/me", {{"email", "7@CAMPUS.example"}}, {.token = ben.access});
    ask_for_verification(app, ben);
    return verify(app, ben, app.mailed_code());
  };
  EXPECT_EQ(problem_code(take()), "email-taken");
  ASSERT_EQ(app.call(http::Method::Delete, "/v1/me", {{"password", AccountsApp::kPassword}},
                     {.token = ada.access})
                .status,
            204);
  EXPECT_EQ(take().status, 204);
}

TEST(PasswordReset, SetsAnotherPasswordOnce) {
  AccountsApp app;
  const Tokens ada = enrol_verified(app, "7");
  ASSERT_EQ(ask_for_reset(app, "7").status, 202);
  const std::string code = app.mailed_code();
  EXPECT_EQ(problem_code(reset(app, "8", code)), "code-refused");
  ASSERT_EQ(reset(app, "7", code).status, 204);
  EXPECT_EQ(app.refresh(ada.refresh).status, 401) << "its sessions have ended";
  EXPECT_EQ(app.sign_in("7").status, 401);
  EXPECT_EQ(app.sign_in("7", kNewPassword).status, 201);
  EXPECT_THAT(app.sent_mails().back().text, HasSubstr("Your password was changed"));
  EXPECT_EQ(problem_code(reset(app, "7", code, "and a third one")), "code-refused");
}

TEST(PasswordReset, SaysTheSameOfEverybody) {
  AccountsApp app;
  app.enrol("7");  // has not shown the address
  enrol_verified(app, "8");
  const auto sent = app.sent_mails().size();
  for (const char* user_id : {"7", "8", "nobody"}) {
    const auto answer = ask_for_reset(app, user_id);
    EXPECT_EQ(answer.status, 202) << user_id;
    EXPECT_EQ(answer.body, "") << user_id;
  }
  EXPECT_EQ(app.sent_mails().size(), sent + 1);
}

// Who has a session for a moment must not get the account with it.
TEST(PasswordReset, GoesToTheAddressThatWasShown) {
  AccountsApp app;
  const Tokens ada = enrol_verified(app, "7");
  app.call(http::Method::Patch, "/v1/me", {{"email", "mallory@campus.example"}},
           {.token = ada.access});
  EXPECT_FALSE(is_verified(app, ada));
  ask_for_reset(app, "7");
  EXPECT_EQ(app.sent_mails().back().to, "7@campus.example");
}

// Who had the mailbox of before has nothing.
TEST(PasswordReset, CodesEndWithTheAddress) {
  AccountsApp app;
  const Tokens ada = enrol_verified(app, "7");
  ask_for_reset(app, "7");
  const std::string code = app.mailed_code();
  app.call(http::Method::Patch, "/v1/me", {{"email", "new@campus.example"}}, {.token = ada.access});
  ask_for_verification(app, ada);
  ASSERT_EQ(verify(app, ada, app.mailed_code()).status, 204);
  EXPECT_EQ(app.sent_mails().back().to, "7@campus.example") << "the owner of before is told";
  EXPECT_THAT(app.sent_mails().back().subject, HasSubstr("Another address"));
  EXPECT_EQ(problem_code(reset(app, "7", code)), "code-refused");
}

TEST(PasswordReset, CodesLiveAnHour) {
  AccountsApp app;
  enrol_verified(app, "7");
  ask_for_reset(app, "7");
  const std::string code = app.mailed_code();
  app.clock.advance(std::chrono::hours(1));
  EXPECT_EQ(problem_code(reset(app, "7", code)), "code-refused");
}

TEST(Mails, CarryALinkAndNoName) {
  AccountsApp app;
  enrol_verified(app, "7");
  const auto mail = app.sent_mails().back();
  EXPECT_THAT(mail.text,
              HasSubstr("https://campus.example/#verify-email?code=" + app.mailed_code()));
  EXPECT_THAT(mail.text, Not(HasSubstr("Ada")));
}

TEST(Mails, AreNotSentEverywhere) {
  AccountsApp app(AppOptions{.sends_mail = false});
  const Tokens ada = app.enrol("7");
  for (const auto& answer : {ask_for_code(app, "9", "9@campus.example"),
                             ask_for_verification(app, ada), ask_for_reset(app, "7")}) {
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(problem_code(answer), "no-mail");
  }
}

}  // namespace
}  // namespace tideline::accounts::testing
